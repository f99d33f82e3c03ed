import { Console, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as Money from "#domain/Money.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { ShownItem } from "#src/edges/admin/catalog/CatalogOperations.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Output from "#src/cli/Output.ts"
import * as CatalogAccess from "./CatalogAccess.ts"
import * as List from "./List.ts"

const amount = Schema.decodeUnknownOption(Money.NanoUsd)

const convertFields = (object: JsonObject, fields: ReadonlyArray<string>): JsonObject => {
  const amounts = fields.flatMap((field) =>
    Option.match(amount(object[field]), { onNone: () => [], onSome: (nano) => [[field, Money.format(nano)]] })
  )
  return JsonText.edit(object, { set: Object.fromEntries(amounts) })
}

/** The definition, of any kind and release, with amounts in USD instead of the nano-USD of the log. */
const inUsd = (definition: Json): Json => {
  if (!isObject(definition)) return definition
  const { price } = definition
  const priced = isObject(price)
    ? JsonText.edit(definition, { set: { price: convertFields(price, ["unitPrice", "minimumCharge"]) } })
    : definition
  return convertFields(priced, ["pricePerHour"])
}

const forPrograms = (item: ShownItem) => ({
  ...List.forPrograms(item),
  definition: inUsd(item.definition),
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
    Output.printableLines(JsonText.indented(inUsd(item.definition)))
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
  Command.provide(OperatorAccess.layerExisting)
)
