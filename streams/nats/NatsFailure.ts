/** Classifies failed calls to the servers. */
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
 * `conflict`: another message came first. `rejected`: it has not taken effect and will not. `unknown`: it may have, or still
 * may: an election, a hanging server, a broken connection.
 */
export type Fate = "conflict" | "rejected" | "unknown"

/** Wrong last sequence. The second code is sent by newer servers for replicated streams. */
const conflicts = new Set([10071, 10164])

/** The message arrived before and is not stored yet. */
const inProcess = 10158

/** The server could not store it: permanently when the stream is at a limit, otherwise unknown. */
const notStored = 10077

export const classify = (cause: unknown): Fate => {
  if (cause instanceof JetStreamApiError) {
    if (conflicts.has(cause.code)) return "conflict"
    if (cause.code === notStored) return cause.message.startsWith("maximum") ? "rejected" : "unknown"
    return cause.status === 503 || cause.code === inProcess ? "unknown" : "rejected"
  }
  const isPermanent =
    cause instanceof PermissionViolationError ||
    cause instanceof AuthorizationError ||
    cause instanceof InvalidArgumentError ||
    cause instanceof InvalidSubjectError
  return isPermanent ? "rejected" : "unknown"
}

/** The text of the cause, for messages. */
export const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : "no reason given"

/** @param what the failed operation, as in "The log cannot be read". */
export const failure = (what: string, cause: unknown): EventStoreError =>
  new EventStoreError({ reason: `${what}: ${reasonOf(cause)}`, cause })

const noConnection = new Error("there is no connection to the NATS servers")

/** The part of `Nats` that makes a call. */
interface Connected {
  readonly isUp: () => boolean
  readonly request: <A>(call: () => Promise<A>) => Effect.Effect<A, unknown>
}

/** A call whose failure becomes an `EventStoreError`. It fails at once when there is no connection or it is lost. */
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
