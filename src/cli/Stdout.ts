/** Where results go. A reader that has had enough, as `head` has, is no failure; a full disk is. */
import { Effect, PlatformError, Predicate, Stdio, Stream } from "effect"
import { describe } from "./Failure.ts"

/** The system's own words, such as `ENOSPC: no space left on device, write`. */
export const causeOf = (error: PlatformError.PlatformError): string => describe(error.reason.cause ?? error)

const isClosed = (error: unknown): boolean => Predicate.hasProperty(error, "code") && error.code === "EPIPE"

/** To be called once: what cannot be written makes exit code 1, whoever wrote it. `console` keeps quiet about it. */
export const watch = (): void => {
  process.stdout.on("error", (error) => {
    if (isClosed(error)) return
    process.exitCode = 1
    process.stderr.write(`inferlog: stdout cannot be written: ${describe(error)}\n`)
  })
}

/** As fast as it is read; ends early when it is not read any more, or cannot be written (`watch`). */
export const write = <E, R>(
  texts: Stream.Stream<string, E, R>
): Effect.Effect<void, Exclude<E, PlatformError.PlatformError>, R | Stdio.Stdio> =>
  Effect.gen(function* () {
    const stdio = yield* Stdio.Stdio
    return yield* Stream.run(texts, stdio.stdout({ endOnDone: false }))
  }).pipe(Effect.catchIf(PlatformError.isPlatformError, () => Effect.void))
