import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { ShownItem } from "#src/edges/admin/catalog/CatalogOperations.ts"
import * as Output from "#src/cli/Output.ts"
import * as CatalogAccess from "./CatalogAccess.ts"
import * as DefinitionText from "./DefinitionText.ts"

const forPrograms = (item: ShownItem) => ({
  kind: item.kind,
  name: item.name,
  displayName: item.displayName,
  status: item.status,
  version: item.version,
  createdAt: Output.time(item.createdAt),
  updatedAt: Output.time(item.updatedAt),
  definition: DefinitionText.inUsd(item.definition),
  history: item.history.map(({ position, source, time, type, version }) => ({
    position: String(position),
    time: Output.time(time),
    type,
    version,
    source
  }))
})

const forPeople = (item: ShownItem): string => {
  const steps = item.history.map(({ source, time, type, version }) => [
    Output.time(time),
    type,
    version ?? "-",
    source ?? "-"
  ])
  return [
    Output.table(
      ["KIND", "NAME", "DISPLAY NAME", "STATUS", "VERSION"],
      [[item.kind, item.name, item.displayName, item.status, item.version ?? "-"]]
    ),
    Output.table(["TIME", "EVENT", "VERSION", "SOURCE"], steps),
    Output.printableLines(JSON.stringify(DefinitionText.inUsd(item.definition), null, 2))
  ].join("\n\n")
}

export const show = Command.make(
  "show",
  { name: CatalogAccess.name, kind: CatalogAccess.kind, json: Output.json },
  Effect.fnUntraced(function* ({ json, kind, name }) {
    const item = yield* (yield* Administration).showItem({ kind: Option.getOrNull(kind), name })
    yield* json ? Output.printJson(forPrograms(item)) : Console.log(forPeople(item))
  })
).pipe(
  Command.withDescription("Show one item of the catalog: its definition and its history"),
  Command.withShortDescription("Show one item and its history"),
  Command.withExamples([
    { command: "inferlog models show vision/thumbnail" },
    { command: "inferlog models show rtx-4090 --kind gpu --json" }
  ]),
  Command.provide(CatalogAccess.layer)
)
