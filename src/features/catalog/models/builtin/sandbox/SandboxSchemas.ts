/** Schemas that several sandbox models share. */
import type { Model } from "#domain/catalog/Model.ts"

type JsonSchema = Model["inputSchema"]

/** Longest error message that a client may choose, in characters. */
const longestMessage = 1_000

export const delayMs: JsonSchema = {
  type: "integer",
  minimum: 0,
  maximum: 600_000,
  default: 0,
  description: "How long the run takes, in milliseconds."
}

export const message: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: longestMessage,
  description: "The error text that the request ends with."
}
