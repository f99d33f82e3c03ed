/** The body of `POST /webhooks/deliveries/recover`: a time, from `since` on and before `until`. */
import { Result } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"
import { millisOf, malformed } from "#src/edges/http/requests/DateTimeText.ts"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"

const dateTime = { type: "string", format: "date-time" }

/** A field that is not known may be one misspelled, without which much more would be sent again. */
const validator = JsonSchemaValidator.ofProgram({
  type: "object",
  properties: { since: dateTime, until: dateTime },
  required: ["since"],
  additionalProperties: false
})

/** Unix time in ms, as all times here. */
export interface Time {
  readonly since: number
  readonly until: number
}

/** @param now the default of `until`. */
export const parse = (body: JsonObject, now: number): Parsed<Time> => {
  const issues = [...validator.issues(body)]
  if (issues.length > 0) return Result.fail(issues)
  const since = millisOf(body["since"])
  const until = body["until"] === undefined ? now : millisOf(body["until"])
  if (Number.isNaN(since)) issues.push(malformed("since"))
  if (Number.isNaN(until)) issues.push(malformed("until"))
  if (issues.length > 0) return Result.fail(issues)
  return since < until
    ? Result.succeed({ since, until })
    : invalid(issue(["since"], "range", "must be before until, which is now when it is not given"))
}
