/** One part of a request, parsed: its value, or every reason why it is invalid. */
import { Result } from "effect"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"

export type Parsed<A> = Result.Result<A, ReadonlyArray<Issue>>

export const issue = (path: Issue["path"], code: string, message: string): Issue => ({ path, message, code })

export const invalid = (...issues: ReadonlyArray<Issue>): Parsed<never> => Result.fail(issues)

type Values<Parts> = { [Name in keyof Parts]: Parts[Name] extends Parsed<infer A> ? A : never }

/** The values of all parts, or the issues of all parts together. */
export const all = <const Parts extends Readonly<Record<string, Parsed<unknown>>>>(
  parts: Parts
): Parsed<Values<Parts>> =>
  Result.mapError(Result.all(parts) as Result.Result<Values<Parts>, unknown>, () =>
    Object.values(parts).flatMap((part) => (Result.isFailure(part) ? part.failure : []))
  )
