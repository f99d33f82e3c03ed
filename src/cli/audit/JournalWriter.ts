/** The journal on stdout, as fast as it is read. A reader that has had enough does not end the audit: its exit code is the proof's. */
import { Cause, Effect, Exit, Fiber, Queue, type Scope, type Stdio, Stream } from "effect"
import type { Booked } from "#src/features/billing/audit/Auditor.ts"
import * as Journal from "#src/features/billing/audit/Journal.ts"
import * as Stdout from "#src/cli/Stdout.ts"

export interface JournalWriter {
  /** Keeps the lines until `flush`. */
  readonly add: (booked: Booked) => void
  /** Waits while the reader is behind. */
  readonly flush: Effect.Effect<void>
  /** Writes what was flushed to the end, unless it is interrupted. */
  readonly whenDone: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Texts of a page each that may wait for the reader. */
const capacity = 4

export const make = Effect.fnUntraced(function* (
  format: Journal.Format
): Effect.fn.Return<JournalWriter, never, Stdio.Stdio | Scope.Scope> {
  const queue = yield* Queue.bounded<string, Cause.Done>(capacity)
  // With nobody to read it, what is offered is dropped.
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
