import type { Model } from "#domain/catalog/Model.ts"

type JsonSchema = Model["inputSchema"]

/** An object of exactly these properties. */
export const objectOf = (options: {
  readonly description: string
  readonly properties: { readonly [name: string]: JsonSchema }
  readonly required: ReadonlyArray<string>
}): JsonSchema => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  additionalProperties: false,
  ...options
})
