/**
 * Settles appends whose fate is unknown when their callers get an error: sends a message without events to the same
 * position. Either it is stored, and the append can no longer be, or it conflicts because the append was stored. Pending
 * work does not survive a crash and need not: no caller was promised anything.
 */
import { Deferred, Effect, Schedule } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { StreamName } from "../StreamName.ts"
import * as AppendMessage from "./AppendMessage.ts"
import type { MessageReads } from "./MessageReads.ts"
import type { Message, Publish } from "./Publish.ts"
import * as StoredMessages from "./StoredMessages.ts"

/** What to do when the fate is known. */
export interface Outcome {
  readonly onStored: Effect.Effect<void>
  /** Removes what was stored for the append. */
  readonly onAbsent: Effect.Effect<void>
}

export interface Fences {
  /** Finds out the fate of the message in the background. */
  readonly settle: (message: Message, tail: AppendMessage.Tail, outcome: Outcome) => Effect.Effect<void>
  /** Runs the work in the background, and repeats it until it succeeds. */
  readonly retryInBackground: (
    stream: StreamName,
    work: Effect.Effect<void, EventStoreError>
  ) => Effect.Effect<void>
  /** Waits until no background work of the stream is left. */
  readonly settled: (stream: StreamName) => Effect.Effect<void>
}

const retryInterval = Schedule.spaced("1 second")

class Behind extends Error {
  override readonly message =
    "This server does not have the message that another server rejected the fence for"
}

export const make = Effect.fnUntraced(function* (publishing: Publish, reads: MessageReads) {
  const scope = yield* Effect.scope
  /** Unbounded, but each entry's append was tried for seconds before, so they accumulate slowly. */
  const open = new Map<StreamName, Set<Deferred.Deferred<void>>>()

  /** Whether the message at the position is ours. It never changes. */
  const isOurs = (message: Message) =>
    reads.next(message.stream, message.after).pipe(
      Effect.filterOrFail(
        (found) => found !== null,
        () => new Behind()
      ),
      Effect.map((found) => StoredMessages.isSentAs(found, message.id)),
      Effect.retry(retryInterval),
      Effect.orDie
    )

  const findOut = (message: Message, tail: AppendMessage.Tail): Effect.Effect<boolean> => {
    const { body } = AppendMessage.encode(message.stream, tail, [], [])
    return Effect.flatMap(
      publishing.sendUntilKnown({ ...message, id: `${message.id}/fence`, body }),
      (published) => (published._tag === "Stored" ? Effect.succeed(false) : isOurs(message))
    )
  }

  const inBackground = (stream: StreamName, work: Effect.Effect<void>) =>
    Effect.suspend(() => {
      const done = Deferred.makeUnsafe<void>()
      const others = open.get(stream) ?? new Set()
      open.set(stream, others.add(done))
      return Effect.interruptible(work).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            others.delete(done)
            if (others.size === 0) open.delete(stream)
            Deferred.doneUnsafe(done, Effect.void)
          })
        ),
        Effect.forkIn(scope, { uninterruptible: true }),
        Effect.asVoid
      )
    })

  return {
    settle: (message, tail, { onAbsent, onStored }) =>
      inBackground(
        message.stream,
        Effect.flatMap(findOut(message, tail), (isStored) => (isStored ? onStored : onAbsent))
      ),
    retryInBackground: (stream, work) =>
      inBackground(stream, Effect.orDie(Effect.retry(work, retryInterval))),
    settled: (stream) =>
      Effect.suspend(() => Effect.forEach([...(open.get(stream) ?? [])], Deferred.await, { discard: true }))
  } satisfies Fences
})
