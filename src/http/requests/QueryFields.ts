/** Forms of query parameters that several lists have. */
import { Result } from "effect"
import { RequestId, requestIdPattern } from "#domain/Ids.ts"
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

/** `undefined` when it is not given; Unix time in ms. */
export const dateTime = (parameter: string, text: string | undefined): Parsed<number | undefined> => {
  if (text === undefined) return Result.succeed(text)
  // The plus sign of an offset that was not percent-encoded is read as a space.
  const millis = DateTimeText.millisOf(text.replace(/ (?=\d\d:\d\d$)/, "+"))
  return Number.isNaN(millis) ? invalid(DateTimeText.malformed(parameter)) : Result.succeed(millis)
}
