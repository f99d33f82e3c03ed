/** TypeScript types of the lines of `log export`, from the schemas that the log itself is read with. Part of the package. */
import { Schema, SchemaRepresentation } from "effect"
import * as AllAggregates from "#domain/AllAggregates.ts"

/** Not part of `data`. */
const ofRecord = new Set<unknown>(["_tag", "at"])

/** Without checks, such as a greatest length, which types do not show. */
const unchecked = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(unchecked)
  if (typeof part !== "object" || part === null) return part
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, key === "checks" ? [] : unchecked(value)])
  )
}

/** The type of `data`, as it is in JSON. */
const dataOf = (schema: Schema.Top): string => {
  const { references, representation } = SchemaRepresentation.toRepresentation(Schema.toEncoded(schema).ast)
  if (representation._tag !== "Objects") throw new Error("An event is not an object")
  const propertySignatures = representation.propertySignatures.filter(({ name }) => !ofRecord.has(name))
  const document = SchemaRepresentation.toMultiDocument({
    references,
    representation: { ...representation, propertySignatures }
  })
  const { codes } = SchemaRepresentation.toCodeDocument(unchecked(document) as typeof document)
  return codes.map(({ Type }) => Type.replaceAll("Schema.Json", "Json")).join()
}

const head = (version: string) => `/**
 * The events on the log of inferlog ${version}, as \`inferlog log export\` and \`log tail --json\` print them: an object of JSON in each line.
 * Times are Unix time in ms; amounts are whole nano-USD, as text. A newer release may write other types and more optional fields:
 * ignore them.
 */

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** What every line has (docs/reference/cli.md, "log export"). */
export interface Line<Category extends string, Type extends string, Data> {
  /** The place in the log. Opaque: give it back as \`--after\`. */
  readonly position: string
  /** The stream of the aggregate, which the event is about. */
  readonly stream: \`\${Category}-\${string}\`
  /** The place in the stream, from 0. */
  readonly ordinal: number
  readonly id: string
  readonly type: Type
  readonly time: number
  /** Of the chain of the stream, base64url. */
  readonly hash: string
  readonly data: Data
}
`

/** The text of a module that declares the events of each aggregate, and `LogEvent` for all. */
export const declarations = (version: string): string => {
  const parts = AllAggregates.all.map(({ category, codec: { schemas } }) => {
    const lines = Array.from(
      schemas,
      ([type, schema]) => `  | Line<"${category}", "${type}", ${dataOf(schema)}>`
    )
    return `export type ${category}Event =\n${lines.join("\n")}\n`
  })
  const all = AllAggregates.all.map(({ category }) => `  | ${category}Event`)
  return [head(version), ...parts, `export type LogEvent =\n${all.join("\n")}\n`].join("\n")
}
