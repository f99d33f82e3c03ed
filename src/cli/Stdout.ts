/** Writes results to stdout. A full disk is a failure. A reader that stops early, such as `head`, is not. */
import { type Cause, Effect, Fiber, PlatformError, Predicate, Queue, Stdio, Stream } from "effect"
import { describe } from "./Failure.ts"

/** The message of the operating system, such as `ENOSPC: no space left on device, write`. */
export const causeOf = (error: PlatformError.PlatformError): string => describe(error.reason.cause ?? error)

const isClosed = (error: unknown): boolean => Predicate.hasProperty(error, "code") && error.code === "EPIPE"

/** Call once. Any failed write to stdout sets exit code 1; `console` alone ignores it. */
export const watch = (): void => {
  process.stdout.on("error", (error) => {
    if (isClosed(error)) return
    process.exitCode = 1
    process.stderr.write(`inferlog: cannot write to stdout: ${describe(error)}\n`)
  })
}

/** Writes with back-pressure. Ends early when the reader stops, or when a write fails (`watch`). */
export const write = <E, R>(
  texts: Stream.Stream<string, E, R>
): Effect.Effect<void, Exclude<E, PlatformError.PlatformError>, R | Stdio.Stdio> =>
  Effect.gen(function* () {
    const stdio = yield* Stdio.Stdio
    return yield* Stream.run(texts, stdio.stdout({ endOnDone: false }))
  }).pipe(Effect.catchIf(PlatformError.isPlatformError, () => Effect.void))

/** Lines that may wait for stdout. */
const mostLines = 256

/** Work that prints lines. Ends with the work, or when the reader of stdout stops. */
export const printing = <A, E, R>(
  use: (print: (line: string) => Effect.Effect<void>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const lines = yield* Queue.bounded<string, Cause.Done>(mostLines)
    const writer = yield* Effect.forkChild(write(Stream.fromQueue(lines)))
    const exit = yield* Effect.exit(
      Effect.raceFirst(
        use((line) => Effect.asVoid(Queue.offer(lines, line))),
        Fiber.await(writer)
      )
    )
    yield* Queue.end(lines)
    yield* Fiber.join(writer)
    yield* exit
  })
