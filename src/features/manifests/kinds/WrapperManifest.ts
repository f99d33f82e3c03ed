/** `kind: wrapper` (docs/reference/manifests.md). */
import { Schema } from "effect"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import * as Version from "#src/features/catalog/models/Version.ts"
import * as Fields from "./Fields.ts"

const JsonRecord = Schema.Record(Schema.String, Schema.Json)

export const WrapperManifest = Schema.Struct({
  kind: Schema.Literal("wrapper"),
  ...Fields.listed,
  base: Fields.Endpoint,
  template: JsonRecord,
  defaults: Schema.optionalKey(JsonRecord)
})
export type WrapperManifest = typeof WrapperManifest.Type

export const definitionOf = (manifest: WrapperManifest): Wrapper => {
  const { recommended } = manifest
  const wrapper: Wrapper = {
    endpoint: manifest.name,
    version: "",
    displayName: manifest.displayName,
    description: manifest.description ?? "",
    category: manifest.category,
    tags: manifest.tags ?? [],
    ...(recommended !== undefined && { recommended }),
    base: manifest.base,
    template: manifest.template,
    defaults: manifest.defaults ?? {},
    inputSchema: manifest.inputSchema,
    exampleInput: manifest.exampleInput
  }
  return { ...wrapper, version: Version.ofWrapper(wrapper) }
}
