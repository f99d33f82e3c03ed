/** The body of `POST /webhooks/default/secret/rotate`, which may be left out. */
import { Result } from "effect"
import { usualGraceMs } from "#domain/account/SigningSecret.ts"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"
import type { Parsed } from "#src/edges/http/requests/Parsed.ts"

export const mostGraceSeconds = usualGraceMs / 1_000

/** A field that is not known may be one misspelled, without which a secret that has leaked would stay valid. */
const validator = JsonSchemaValidator.ofProgram({
  type: "object",
  properties: { grace: { type: "integer", minimum: 0, maximum: mostGraceSeconds } },
  additionalProperties: false
})

/** How long the secrets until now stay valid at most, ms. */
export const parseGrace = (body: JsonObject): Parsed<number> => {
  const issues = validator.issues(body)
  if (issues.length > 0) return Result.fail(issues)
  const { grace } = body
  return Result.succeed(typeof grace === "number" ? grace * 1_000 : usualGraceMs)
}
