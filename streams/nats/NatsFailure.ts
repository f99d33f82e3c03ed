/** What a failed call to the servers tells of what became of it. */
import { JetStreamApiError } from "@nats-io/jetstream"
import {
  AuthorizationError,
  InvalidArgumentError,
  InvalidSubjectError,
  PermissionViolationError
} from "@nats-io/transport-node"
import { Effect } from "effect"
import { EventStoreError } from "../EventReader.ts"

/**
 * `conflict`: another message came first. `refused`: it has not taken place and will not. `unknown`: it may have, or may
 * yet: an election, a server that hangs, a connection that broke.
 */
export type Fate = "conflict" | "refused" | "unknown"

/** Wrong last sequence; the second one of newer servers on replicated streams. */
const conflicts = new Set([10071, 10164])

/** The message has come before, and is not stored yet. */
const inProcess = 10158

/** The server could not store it: for good when the stream is at a limit, else nobody knows. */
const notStored = 10077

export const classify = (cause: unknown): Fate => {
  if (cause instanceof JetStreamApiError) {
    if (conflicts.has(cause.code)) return "conflict"
    if (cause.code === notStored) return cause.message.startsWith("maximum") ? "refused" : "unknown"
    return cause.status === 503 || cause.code === inProcess ? "unknown" : "refused"
  }
  const isHopeless =
    cause instanceof PermissionViolationError ||
    cause instanceof AuthorizationError ||
    cause instanceof InvalidArgumentError ||
    cause instanceof InvalidSubjectError
  return isHopeless ? "refused" : "unknown"
}

/** In words, for a message. */
export const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : "no reason given"

/** @param what was to be done, as in "The log cannot be read". */
export const failure = (what: string, cause: unknown): EventStoreError =>
  new EventStoreError({ reason: `${what}: ${reasonOf(cause)}`, cause })

const noConnection = new Error("there is no connection to the NATS servers")

/** The part of `Nats` that makes a call. */
interface Connected {
  readonly isUp: () => boolean
  readonly request: <A>(call: () => Promise<A>) => Effect.Effect<A, unknown>
}

/** A call whose failure is the log's. It fails at once when there is no connection, or none any more. */
export const attempt = <A>(
  { request, isUp }: Connected,
  what: string,
  call: () => Promise<A>
): Effect.Effect<A, EventStoreError> =>
  Effect.suspend(() =>
    isUp()
      ? Effect.mapError(request(call), (cause) => failure(what, cause))
      : Effect.fail(failure(what, noConnection))
  )
