/** Retries calls that may succeed later: no response, 408, 429, 5xx, and an expired presigned URL. */
import { Duration, Effect, Random } from "effect"
import * as Output from "#src/cli/Output.ts"
import { Refused, Unreachable } from "./CallErrors.ts"

/** Number of tries. The last try is about a minute after the first. */
const most = 8

const base = Duration.toMillis("500 millis")
const longest = Duration.toMillis("30 seconds")

/** The longest `Retry-After` that is honoured, ms. */
const longestRetryAfter = Duration.toMillis("5 minutes")

const transient: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** A full disk (507) is not retried. S3 answers 400 when bytes come too slowly. */
export const isTransient = (error: { readonly _tag: string }): boolean =>
  error instanceof Unreachable ||
  (error instanceof Refused &&
    (transient.has(error.status) || error.isExpired || error.code === "RequestTimeout"))

/** The pause before the next try after `tries` tries, ms, with 10 % jitter, so that parts do not retry at the same time. */
export const delay = (error: { readonly _tag: string }, tries: number): Effect.Effect<number> =>
  Effect.map(Random.next, (chance) => {
    const own = Math.min(longest, base * 2 ** (tries - 1)) * (0.9 + chance / 10)
    const retryAfter = error instanceof Refused ? (error.retryAfter ?? 0) : 0
    return Math.max(own, Math.min(retryAfter, longestRetryAfter))
  })

export interface Waiting {
  /** The reason, in one line. */
  readonly message: string
  readonly millis: number
}

type Failing = { readonly _tag: string; readonly message: string }

const retrying =
  (isWorthIt: (error: Failing) => boolean, tries = most) =>
  <A, E extends Failing, R>(
    effect: Effect.Effect<A, E, R>,
    onWait: (waiting: Waiting) => Effect.Effect<void>
  ): Effect.Effect<A, E, R> => {
    const attempt = (made: number): Effect.Effect<A, E, R> =>
      Effect.catch(effect, (error) =>
        made >= tries || !isWorthIt(error)
          ? Effect.fail(error)
          : Effect.flatMap(delay(error, made), (millis) =>
              onWait({ message: error.message, millis }).pipe(
                Effect.andThen(Effect.sleep(millis)),
                Effect.andThen(attempt(made + 1))
              )
            )
      )
    return attempt(1)
  }

/** Retries with back-off and honours `Retry-After`. Calls `onWait` before each pause. */
export const patiently = retrying(isTransient)

/** The same, but does not retry when the server does not respond at all. */
export const onceReached = retrying((error) => !(error instanceof Unreachable) && isTransient(error))

/** Retries without a limit, with the same pauses, until the server is back. */
export const forever = retrying(isTransient, Infinity)

export const describe = ({ message, millis }: Waiting): string =>
  `${message.replace(/\.$/, "")}; next try in ${Output.duration(Math.max(1000, millis))}.`
