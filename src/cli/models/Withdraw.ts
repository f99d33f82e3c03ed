import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { Administration } from "#src/admin/Administration.ts"
import * as Output from "../Output.ts"
import * as CatalogAccess from "./CatalogAccess.ts"

export const withdraw = Command.make(
  "withdraw",
  { name: CatalogAccess.name, kind: CatalogAccess.kind, json: Output.json },
  Effect.fnUntraced(function* ({ json, kind: given, name }) {
    const administration = yield* Administration
    const { kind } = yield* administration.showItem({ kind: Option.getOrNull(given), name })
    yield* administration.withdrawItem({ kind, name })
    yield* json
      ? Output.printJson({ kind, name, withdrawn: true })
      : Console.log(`Withdrew ${kind} ${Output.printable(name)}: it is neither shown nor accepted.`)
  })
).pipe(
  Command.withDescription(
    "Take an item out of the catalog. Requests that were accepted end as if nothing had happened, new ones get 404; an import offers it again"
  ),
  Command.withShortDescription("Take an item out of the catalog"),
  Command.withExamples([
    { command: "inferlog models withdraw acme/flux" },
    { command: "inferlog models withdraw summer --kind collection" }
  ]),
  Command.provide(CatalogAccess.layer)
)
