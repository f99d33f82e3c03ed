import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { ItemKind } from "#src/features/catalog/Publishing.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Output from "#src/cli/Output.ts"
import * as CatalogAccess from "./CatalogAccess.ts"

/** The consequence of a withdrawal, per kind. */
const consequence: Readonly<Record<ItemKind, string>> = {
  model: "it is no longer shown, and new requests are refused",
  wrapper: "it is no longer shown, and new requests are refused",
  collection: "it is no longer shown",
  gpu: "it is no longer listed",
  "deployment-template": "it is no longer shown"
}

export const withdraw = Command.make(
  "withdraw",
  {
    name: CatalogAccess.name,
    kind: CatalogAccess.kind,
    force: Flags.toggle("force", "Withdraw the item even if wrappers, collections or templates depend on it"),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ force, json, kind: given, name }) {
    const administration = yield* Administration
    const { kind } = yield* administration.showItem({ kind: Option.getOrNull(given), name })
    const { change, dependents } = yield* administration.withdrawItem({ kind, name, force })
    if (json) return yield* Output.printJson({ kind, name, withdrawn: true, change, dependents })
    const item = `${kind} ${Output.printable(name)}`
    if (change === "unchanged") return yield* Console.log(`The ${item} is already withdrawn.`)
    yield* Console.log(`Withdrew ${item}: ${consequence[kind]}.`)
    if (dependents.length > 0) {
      const users = dependents.map((user) => `${user.kind} ${Output.printable(user.name)}`).join(", ")
      yield* Console.log(`Used by: ${users}.`)
    }
  })
).pipe(
  Command.withDescription(
    "Withdraw an item from the catalog. Accepted requests still run; new requests get 404. An import publishes the item again. Refused while wrappers, collections or templates depend on the item, unless --force is given"
  ),
  Command.withShortDescription("Withdraw an item from the catalog"),
  Command.withExamples([
    { command: "inferlog models withdraw acme/flux" },
    { command: "inferlog models withdraw acme/flux --force" },
    { command: "inferlog models withdraw summer --kind collection" }
  ]),
  Command.provide(OperatorAccess.layerExisting)
)
