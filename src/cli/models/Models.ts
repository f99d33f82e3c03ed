import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Output from "#src/cli/Output.ts"
import * as CatalogAccess from "./CatalogAccess.ts"
import { importCommand } from "./Import.ts"
import { list } from "./List.ts"
import { show } from "./Show.ts"
import { validate } from "./Validate.ts"
import { withdraw } from "./Withdraw.ts"

const deprecate = Command.make(
  "deprecate",
  { name: CatalogAccess.name, json: Output.json },
  Effect.fnUntraced(function* ({ json, name }) {
    yield* (yield* Administration).deprecateItem({ name })
    yield* json
      ? Output.printJson({ name, deprecated: true })
      : Console.log(`Deprecated ${Output.printable(name)}: it still runs, and is shown as deprecated.`)
  })
).pipe(
  Command.withDescription(
    "Mark a model or a wrapper as deprecated. It still runs, and is marked as no longer recommended. An import reactivates it"
  ),
  Command.withShortDescription("Mark a model as deprecated"),
  Command.withExamples([{ command: "inferlog models deprecate acme/flux" }]),
  Command.provide(OperatorAccess.layerExisting)
)

export const models = Command.make("models").pipe(
  Command.withDescription("The catalog, and the manifests that it is published from"),
  Command.withSubcommands([validate, importCommand, list, show, deprecate, withdraw])
)
