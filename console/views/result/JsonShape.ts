/** What a JSON value is, for code that shows values of any shape. */
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"

export type Scalar = string | number | boolean | null

export const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isList = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

export const isScalar = (value: Json | undefined): value is Scalar =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean"
