/**
 * For appends whose fate is not known when their callers are told so: a message without events is put in their place. It
 * takes the place, and then they cannot come to be any more, or it is refused because they have. What is under way here
 * does not survive a crash, and need not: nobody was told anything.
 */
import { Deferred, Effect, Schedule } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { StreamName } from "../StreamName.ts"
import * as AppendMessage from "./AppendMessage.ts"
import type { MessageReads } from "./MessageReads.ts"
import type { Message, Publish } from "./Publish.ts"
import * as StoredMessages from "./StoredMessages.ts"

/** What is to be done when it is known. */
export interface Outcome {
  readonly onStored: Effect.Effect<void>
  /** For what was stored for it. */
  readonly onAbsent: Effect.Effect<void>
}

export interface Fences {
  /** Finds out, in the background, what has become of it. */
  readonly settle: (message: Message, tail: AppendMessage.Tail, outcome: Outcome) => Effect.Effect<void>
  /** Does it in the background, again until it does not fail. */
  readonly retryInBackground: (
    stream: StreamName,
    work: Effect.Effect<void, EventStoreError>
  ) => Effect.Effect<void>
  /** Completes when nothing of the stream is in the background. */
  readonly settled: (stream: StreamName) => Effect.Effect<void>
}

const again = Schedule.spaced("1 second")

class Behind extends Error {
  override readonly message = "This server does not know of what another one has refused the fence for"
}

export const make = Effect.fnUntraced(function* (publishing: Publish, reads: MessageReads) {
  const scope = yield* Effect.scope
  /** Not bounded: each is of an append that was tried for seconds before, so that they do not come fast. */
  const open = new Map<StreamName, Set<Deferred.Deferred<void>>>()

  /** Of what follows the place, which never changes. */
  const isOurs = (message: Message) =>
    reads.next(message.stream, message.after).pipe(
      Effect.filterOrFail(
        (found) => found !== null,
        () => new Behind()
      ),
      Effect.map((found) => StoredMessages.isSentAs(found, message.id)),
      Effect.retry(again),
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
    retryInBackground: (stream, work) => inBackground(stream, Effect.orDie(Effect.retry(work, again))),
    settled: (stream) =>
      Effect.suspend(() => Effect.forEach([...(open.get(stream) ?? [])], Deferred.await, { discard: true }))
  } satisfies Fences
})
