import { Console, Effect, Option, Struct } from "effect"
import { Command, Flag } from "effect/cli"
import type { ListedItem } from "#src/edges/admin/catalog/CatalogOperations.ts"
import { ItemKind } from "#src/features/catalog/Publishing.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Output from "#src/cli/Output.ts"
import { allItems } from "./CatalogAccess.ts"

export const forPrograms = (item: ListedItem) => ({
  ...Struct.pick(item, ["kind", "name", "displayName", "status", "version"]),
  createdAt: Output.time(item.createdAt),
  updatedAt: Output.time(item.updatedAt)
})

const forPeople = (item: ListedItem) => [
  item.kind,
  item.name,
  item.displayName,
  item.status,
  item.version ?? "-",
  Output.time(item.updatedAt)
]

export const list = Command.make(
  "list",
  {
    kind: Flag.Literals("kind", ItemKind.literals).pipe(
      Flag.withDescription("Only items of this kind"),
      Flag.optional
    ),
    status: Flag.Literals("status", ["active", "deprecated", "withdrawn"]).pipe(
      Flag.withDescription("Only items with this status (default: all that are not withdrawn)"),
      Flag.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ json, kind, status }) {
    const isWanted = (item: ListedItem): boolean =>
      item.kind === Option.getOrElse(kind, () => item.kind) &&
      (Option.isSome(status) ? item.status === status.value : item.status !== "withdrawn")
    const items = (yield* allItems).filter(isWanted)
    if (json) return yield* Output.printJson(items.map(forPrograms))
    if (items.length === 0) return yield* Console.error("No item of the catalog matches.")
    yield* Console.log(
      Output.table(["KIND", "NAME", "DISPLAY NAME", "STATUS", "VERSION", "UPDATED"], items.map(forPeople))
    )
  })
).pipe(
  Command.withDescription("List the items of the catalog by kind and name"),
  Command.withExamples([
    { command: "inferlog models list --kind model" },
    { command: "inferlog models list --status withdrawn --json" }
  ]),
  Command.provide(OperatorAccess.layerExisting)
)
