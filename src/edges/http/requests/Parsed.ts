/** What came of reading one part of a request: its value, or every reason why it is invalid. */
import { Result } from "effect"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"

export type Parsed<A> = Result.Result<A, ReadonlyArray<Issue>>

export const issue = (path: Issue["path"], code: string, message: string): Issue => ({ path, message, code })

export const invalid = (...issues: ReadonlyArray<Issue>): Parsed<never> => Result.fail(issues)

/** The issues of all parts together. */
export const issues = (parts: Readonly<Record<string, Parsed<unknown>>>): ReadonlyArray<Issue> =>
  Object.values(parts).flatMap((part) => (Result.isFailure(part) ? part.failure : []))
