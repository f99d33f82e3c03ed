/** Query parameters that several lists have. */
import { Result, Schema } from "effect"
import { RequestId, requestIdPattern } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as DateTimeText from "./DateTimeText.ts"
import { invalid, issue, type Parsed } from "./Parsed.ts"

/** `undefined` when it is not given. */
export const requestId = (text: string | undefined): Parsed<RequestId | undefined> => {
  if (text === undefined) return Result.succeed(text)
  return requestIdPattern.test(text)
    ? Result.succeed(RequestId.make(text))
    : invalid(issue(["requestId"], "pattern", "must be 21 characters of A-Z, a-z, 0-9, _ and -"))
}

/** `undefined` when it is not given. */
export const oneOf = <Name extends string>(
  parameter: string,
  names: ReadonlyArray<Name>,
  text: string | undefined
): Parsed<Name | undefined> => {
  const found = names.find((name) => name === text)
  return text === undefined || found !== undefined
    ? Result.succeed(found)
    : invalid(issue([parameter], "enum", `must be one of ${names.join(", ")}`))
}

/** `undefined` when it is not given. */
export const modelEndpoint = (text: string | undefined): Parsed<ModelEndpoint | undefined> =>
  text === undefined || isModelEndpoint(text)
    ? Result.succeed(text)
    : invalid(issue(["modelEndpoint"], "pattern", "must be of the form owner/name, in lower case"))

const isModelEndpoint = Schema.is(ModelEndpoint)

/** `undefined` when it is not given; Unix time in ms. A date is its midnight in UTC. */
export const dateTime = (parameter: string, text: string | undefined): Parsed<number | undefined> => {
  if (text === undefined) return Result.succeed(text)
  const whole = text
    .replace(/^\d{4}-\d\d-\d\d$/, "$&T00:00:00Z")
    // The plus sign of an offset that was not percent-encoded is read as a space.
    .replace(/ (?=\d\d:\d\d$)/, "+")
  const millis = DateTimeText.millisOf(whole)
  return Number.isNaN(millis)
    ? invalid(issue([parameter], "format", "must be a date, or a date-time of ISO 8601 with its offset"))
    : Result.succeed(millis)
}
