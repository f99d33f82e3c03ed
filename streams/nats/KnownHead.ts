/** Where a node goes on: what `log.head` says that it has seen of the log, and the message that this is of. */
import { Effect } from "effect"
import * as EventChain from "../EventChain.ts"
import type { EventStoreError } from "../EventReader.ts"
import type * as LogHead from "../LogHead.ts"
import * as OpenLogHead from "../OpenLogHead.ts"
import type { Seen } from "../SeenHead.ts"
import * as AppendMessage from "./AppendMessage.ts"
import { LogDiverged } from "./LogDiverged.ts"
import type { MessageReads } from "./MessageReads.ts"

export interface NodeOptions {
  /** Of this node. */
  readonly directory: string
  /** What another node has seen of the log: saves a new one from reading all of it. */
  readonly told?: Effect.Effect<Seen | null>
}

/** Where `log.head` lies. */
export const file = (directory: string): string => `${directory}/log.head`

const beginning: LogHead.Head = { sequence: 0, digest: EventChain.origin }

/** What this node has seen; a new one takes what another node has told of it, as far as the log has that. */
export const find = Effect.fnUntraced(function* (
  { directory, told = Effect.succeed(null) }: NodeOptions,
  reads: MessageReads
) {
  const own = yield* OpenLogHead.read(file(directory))
  if (own !== undefined) return own
  const seen = yield* told
  if (seen === null) return beginning
  const sequence = AppendMessage.sequenceOf(seen.position)
  const isThere = (yield* reads.at(sequence))?.events.at(-1)?.position === seen.position
  return isThere ? { sequence, digest: seen.digest } : beginning
})

/** The message that a head is of; `null` for none. Fails when the log at the servers, which ends with `last`, has no such. */
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
