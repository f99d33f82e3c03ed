/** Forms of query parameters that several lists have. */
import { Result } from "effect"
import { RequestId, requestIdPattern } from "#domain/Ids.ts"
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
