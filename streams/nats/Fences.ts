/**
 * For appends whose fate is not known when their callers are told so: a message without events is put in their place. It
 * takes the place, and then they can not come to be any more, or it is refused because they have. What is done until then
 * survives neither a crash nor needs to: nobody was told anything.
 */
import { Deferred, Effect, Schedule } from "effect"
import type { StreamName } from "../StreamName.ts"
import * as AppendMessage from "./AppendMessage.ts"
import type { MessageReads } from "./MessageReads.ts"
import type { Message, Publish } from "./Publish.ts"

export interface Fences {
  /** Finds out, in the background, what has become of it; `onAbsent` is for what was stored for it. */
  readonly settle: (
    message: Message,
    tail: AppendMessage.Tail,
    onAbsent: Effect.Effect<unknown>
  ) => Effect.Effect<void>
  /** Completes when nothing of the stream is being found out. */
  readonly settled: (stream: StreamName) => Effect.Effect<void>
}

const again = Schedule.spaced("1 second")

export const make = Effect.fnUntraced(function* (publishing: Publish, reads: MessageReads) {
  const scope = yield* Effect.scope
  const open = new Map<StreamName, Set<Deferred.Deferred<void>>>()

  const isOurs = (message: Message) =>
    reads.next(message.stream, message.after).pipe(
      Effect.map((found) => found?.header.get("Nats-Msg-Id") === message.id),
      Effect.retry(again),
      Effect.orDie
    )

  const findOut = (message: Message, tail: AppendMessage.Tail): Effect.Effect<boolean> => {
    const { body } = AppendMessage.encode(message.stream, tail, [], [])
    return Effect.flatMap(publishing.insist({ ...message, id: `${message.id}/fence`, body }), (published) =>
      published._tag === "Stored" ? Effect.succeed(false) : isOurs(message)
    )
  }

  return {
    settle: (message, tail, onAbsent) =>
      Effect.gen(function* () {
        const { stream } = message
        const done = yield* Deferred.make<void>()
        const others = open.get(stream) ?? new Set()
        open.set(stream, others.add(done))
        yield* findOut(message, tail).pipe(
          Effect.flatMap((isStored) => (isStored ? Effect.void : onAbsent)),
          Effect.ensuring(
            Effect.sync(() => {
              others.delete(done)
              if (others.size === 0) open.delete(stream)
              Deferred.doneUnsafe(done, Effect.void)
            })
          ),
          Effect.interruptible,
          Effect.forkIn(scope)
        )
      }),
    settled: (stream) =>
      Effect.suspend(() => Effect.forEach(open.get(stream) ?? [], Deferred.await, { discard: true }))
  } satisfies Fences
})
