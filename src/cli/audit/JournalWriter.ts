/** Writes the journal to stdout with back-pressure. The audit continues when the reader stops, because its exit code reports the proof. */
import { Cause, Effect, Exit, Fiber, Queue, type Scope, type Stdio, Stream } from "effect"
import type { Booked } from "#src/features/billing/audit/Auditor.ts"
import * as Journal from "#src/features/billing/audit/Journal.ts"
import * as Stdout from "#src/cli/Stdout.ts"

export interface JournalWriter {
  /** Buffers the lines until `flush`. */
  readonly add: (booked: Booked) => void
  /** Waits for a slow reader. */
  readonly flush: Effect.Effect<void>
  /** Writes everything flushed, unless it is interrupted. */
  readonly whenDone: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Pages of text that may wait for the reader. */
const capacity = 4

export const make = Effect.fnUntraced(function* (
  format: Journal.Format
): Effect.fn.Return<JournalWriter, never, Stdio.Stdio | Scope.Scope> {
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
    add: (booked) => {
      text += Journal.lines(format, booked)
    },
    flush,
    whenDone: (effect) =>
      Effect.onExit(effect, (exit) => {
        if (Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)) return Effect.void
        return flush.pipe(Effect.andThen(Queue.end(queue)), Effect.andThen(Fiber.join(writing)))
      })
  }
})
