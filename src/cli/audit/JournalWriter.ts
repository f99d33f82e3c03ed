/** Writes the journal to stdout with back-pressure. The audit continues when the reader stops, because its exit code reports the proof. */
import { Cause, Effect, Exit, Fiber, Queue, Stream } from "effect"
import type { Booked } from "#src/features/billing/audit/Auditor.ts"
import * as Journal from "#src/features/billing/audit/Journal.ts"
import * as Stdout from "#src/cli/Stdout.ts"

/** Pages of text that may wait for the reader. */
const capacity = 4

export const make = Effect.fnUntraced(function* (format: Journal.Format) {
  const queue = yield* Queue.bounded<string, Cause.Done>(capacity)
  // Without a reader, offered pages are dropped.
  const writing = yield* Stdout.write(Stream.fromQueue(queue)).pipe(
    Effect.ensuring(Queue.shutdown(queue)),
    Effect.forkScoped
  )
  let text = Journal.header(format)
  const flush = Effect.suspend(() => {
    if (text === "") return Effect.void
    const page = text
    text = ""
    return Effect.asVoid(Queue.offer(queue, page))
  })
  return {
    /** Buffers the lines until `flush`. */
    add: (booked: Booked) => {
      text += Journal.lines(format, booked)
    },
    /** Waits for a slow reader. */
    flush,
    /** Writes everything flushed, unless the effect is interrupted. */
    whenDone: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.onExit(effect, (exit) => {
        if (Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)) return Effect.void
        return flush.pipe(Effect.andThen(Queue.end(queue)), Effect.andThen(Fiber.join(writing)))
      })
  }
})
