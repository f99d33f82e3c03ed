/** Date-times from clients: ISO 8601 and RFC 3339, with an offset. */
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"
import { issue } from "./Parsed.ts"

const validator = JsonSchemaValidator.ofProgram({ type: "string", format: "date-time" })

/** Unix time in ms. NaN for other texts, for forms of RFC 3339 that ISO 8601 does not have, and for leap seconds. */
export const millisOf = (text: unknown): number =>
  typeof text === "string" && text[10] === "T" && validator.issues(text).length === 0
    ? Date.parse(text)
    : Number.NaN

export const malformed = (field: string): Issue =>
  issue([field], "format", "must be a date-time of ISO 8601 with its offset")
