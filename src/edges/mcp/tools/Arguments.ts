/** Arguments of several tools, with their descriptions for a language model. */
import { Option, Schema, SchemaGetter } from "effect"
import { Category } from "#domain/catalog/Model.ts"
import { longestQuery } from "#src/features/catalog/CatalogSearch.ts"
import { isWithin, type TextLength } from "#src/kernel/text/TextLength.ts"
import { mostPages, mostPerPage, usualLimit } from "#src/edges/http/requests/PageQuery.ts"

/** An optional argument. `null` counts as omitted: models write it so. The JSON Schema describes the argument. */
export const optional = <A, E>(schema: Schema.Codec<A, E>) => {
  const jsonSchema = Schema.toJsonSchemaDocument(schema).schema
  const sent = Schema.Json.check(Schema.makeFilter(() => true, { toJsonSchema: () => jsonSchema }))
  return Schema.optionalKey(sent).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toCodecJson(schema)), {
      decode: SchemaGetter.transformOptional(Option.filter((value) => value !== null)),
      encode: SchemaGetter.passthrough()
    })
  )
}

/** Text whose length limits are in the JSON Schema. */
export const text = (length: TextLength) =>
  Schema.String.check(
    Schema.makeFilter((value) => isWithin(value, length), { toJsonSchema: () => ({ ...length }) })
  )

/** The name of a model or a wrapper. The tool checks whether it exists. */
export const endpoint = text({ maxLength: 129 })

export const modelEndpoint = endpoint.annotate({
  description:
    "Name of a model or a wrapper, `owner/name` in lower case, exactly as `search` or one of the lists gives it.",
  examples: ["vision/resize"]
})

export const category = optional(
  Category.annotate({ description: "Only items of this category; all by default." })
)

/** A whole number from 1. */
export const count = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

export const page = optional(count(mostPages).annotate({ description: "Which page, from 1.", default: 1 }))

export const limit = optional(
  count(mostPerPage).annotate({
    description: `Items of a page, at most ${mostPerPage}.`,
    default: usualLimit
  })
)

export const query = text({ minLength: 1, maxLength: longestQuery }).annotate({
  description: "The task or name to search for, in a few words.",
  examples: ["resize image", "text from a picture"]
})

export const searchText = optional(
  text({ maxLength: longestQuery }).annotate({
    description: "Only items with these words in their name, tags or description, best first.",
    examples: ["thumbnail"]
  })
)

/** The words to search for. An empty text means no search. */
export const searched = (words: string | undefined): string | null =>
  words === undefined || words.trim() === "" ? null : words
