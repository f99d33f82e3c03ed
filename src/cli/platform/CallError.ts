/** What calls of the client fail with, in words for people. */
import { Schema } from "effect"
import { ApiError } from "#clients/typescript/ApiError.ts"
import { mayPass } from "#clients/typescript/Attempts.ts"
import { UnexpectedAnswerError, UnreachableError } from "#clients/typescript/InferlogError.ts"
import { describe, UsageError } from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"

/** A call of the client has failed. `cause` is the client's error. */
export class CallError extends Schema.TaggedError<CallError>()("CallError", {
  message: Schema.String,
  cause: Schema.Unknown
}) {}

/** No connection, as `fetch` reports it. */
export class NoConnection extends Error {}

/** Longest reason in characters. */
const longest = 300

/** The message of the operating system or of the connection, which is the innermost cause. */
export const reasonOf = (error: unknown): string => {
  // When several addresses fail, each has its own error, and the combined error has no message.
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  return error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : describe(error)
}

const hintOf = ({ retryAfter, status }: ApiError): string => {
  if (status === 401) return " Check the key in INFERLOG_API_KEY or --key."
  return retryAfter === null ? "" : ` Try again in ${Output.duration(Math.max(1_000, retryAfter))}.`
}

const messageOf = (url: string, error: unknown): string => {
  if (error instanceof ApiError) {
    const code = error.code === undefined ? "" : ` ${error.code}`
    return `Refused with ${error.status}${code}: ${error.message.slice(0, longest)}${hintOf(error)}`
  }
  if (error instanceof UnreachableError) {
    if (error.cause instanceof NoConnection) return error.cause.message
    return `${new URL(url).origin} does not answer: ${reasonOf(error)}`
  }
  return error instanceof UnexpectedAnswerError ? `${url}: ${error.message}` : describe(error)
}

/** Whether the same call may succeed later. */
export const isTransient = (error: { readonly _tag: string }): boolean =>
  error instanceof CallError && (error.cause instanceof UnreachableError || mayPass(error.cause))

/** `url`: where the call went. */
export const of =
  (url: string) =>
  (error: unknown): CallError | UsageError =>
    error instanceof UsageError
      ? error
      : new CallError({ message: Output.printable(messageOf(url, error)), cause: error })
