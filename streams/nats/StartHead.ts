/** The head at which a node continues: position and digest from `log.head`, and the message there. */
import { Effect } from "effect"
import * as EventChain from "../EventChain.ts"
import type { EventStoreError } from "../EventReader.ts"
import type * as LogHead from "../LogHead.ts"
import type { LogUnavailable } from "../LogUnavailable.ts"
import * as OpenLogHead from "../OpenLogHead.ts"
import type { HeadDigest } from "../FollowedHead.ts"
import * as AppendMessage from "./AppendMessage.ts"
import { LogDiverged } from "./LogDiverged.ts"
import type { MessageReads } from "./MessageReads.ts"

export interface NodeOptions {
  /** The data directory of this node. */
  readonly directory: string
  /** What another node has seen of the log. It saves a new node from reading all of it. */
  readonly sharedHead?: Effect.Effect<HeadDigest | null>
}

/** The path of `log.head`. */
export const file = (directory: string): string => `${directory}/log.head`

const beginning: LogHead.Head = { sequence: 0, digest: EventChain.origin }

/** The head of this node. A new node uses the shared head if the log has its event. */
export const find = Effect.fnUntraced(function* (
  { directory, sharedHead = Effect.succeed(null) }: NodeOptions,
  reads: MessageReads
) {
  const own = yield* OpenLogHead.read(file(directory))
  if (own !== undefined) return own
  const seen = yield* sharedHead
  if (seen === null) return beginning
  const sequence = AppendMessage.sequenceOf(seen.position)
  const isThere = (yield* reads.at(sequence))?.events.at(-1)?.position === seen.position
  return isThere ? { sequence, digest: seen.digest } : beginning
})

/** The digest at `to`, computed from the one at `from`. `null` when the log at the servers has no event there. */
const digestAt = Effect.fnUntraced(function* (reads: MessageReads, from: LogHead.Head, to: number) {
  let { digest, sequence } = from
  while (sequence < to) {
    const messages = (yield* reads.page(sequence + 1)).filter((message) => message.sequence <= to)
    const last = messages.at(-1)
    if (last === undefined) return null
    for (const { events } of messages) {
      digest = events.reduce((digest, { hash }) => EventChain.digest(digest, hash), digest)
    }
    sequence = last.sequence
  }
  return digest
})

/**
 * Checks that the log at the servers is the one that this node has seen: the events between its last two heads must lead
 * from one digest to the other. They do not in another log, or in one that lost its tail and has grown again.
 */
export const check = Effect.fnUntraced(function* (
  { directory }: NodeOptions,
  reads: MessageReads
): Effect.fn.Return<void, LogDiverged | LogUnavailable | OpenLogHead.LogHeadDamaged | EventStoreError> {
  const [older, newer] = yield* OpenLogHead.slots(file(directory))
  if (older === undefined || newer === undefined) return
  if ((yield* digestAt(reads, older, newer.sequence)) === newer.digest) return
  return yield* new LogDiverged({ found: newer.sequence, expected: newer.sequence })
})

/**
 * The message of a head. `null` for an empty log. Fails when the log at the servers, which ends with `last`, has no such
 * message.
 */
export const messageOf = Effect.fnUntraced(function* (
  reads: MessageReads,
  { sequence }: LogHead.Head,
  last: AppendMessage.Decoded | null
): Effect.fn.Return<AppendMessage.Decoded | null, LogDiverged | EventStoreError> {
  if (sequence === 0) return null
  const found = last !== null && last.sequence >= sequence ? yield* reads.at(sequence) : null
  if (found === null || found.events.length === 0) {
    return yield* new LogDiverged({ found: last?.sequence ?? 0, expected: sequence })
  }
  return found
})
