/** Tries again what may succeed later: no answer, 408, 429 and 5xx, and a presigned URL whose time was over. */
import { Duration, Effect, Random } from "effect"
import * as Output from "#src/cli/Output.ts"
import type { Refused, Unreachable } from "./Refusal.ts"

/** Tries in all: the last one a minute or so after the first. */
const most = 8

const base = Duration.toMillis("500 millis")
const longest = Duration.toMillis("30 seconds")

/** What a server may ask for at most, in ms. */
const longestAsked = Duration.toMillis("5 minutes")

const transient: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

const isUnreachable = (error: { readonly _tag: string }): error is Unreachable => error._tag === "Unreachable"
const isRefused = (error: { readonly _tag: string }): error is Refused => error._tag === "Refused"

/** A full disk (507) is not waited for. S3 says with a 400 that bytes came too slowly. */
export const isTransient = (error: { readonly _tag: string }): boolean =>
  isUnreachable(error) ||
  (isRefused(error) && (transient.has(error.status) || error.isExpired || error.code === "RequestTimeout"))

/** ms until the next try, `tries` after the first. A tenth is left to chance, so that parts do not come all at once. */
export const delay = (error: { readonly _tag: string }, tries: number): Effect.Effect<number> =>
  Effect.map(Random.next, (chance) => {
    const own = Math.min(longest, base * 2 ** (tries - 1)) * (0.9 + chance / 10)
    const asked = isRefused(error) ? (error.retryAfter ?? 0) : 0
    return Math.max(own, Math.min(asked, longestAsked))
  })

export interface Waiting {
  /** Why, in one line. */
  readonly message: string
  /** Until the next try. */
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

/** With back-off, and `Retry-After` honoured. `onWait` is told before each pause. */
export const patiently = retrying(isTransient)

/** The same where nobody may be there at all: no answer is not waited for. */
export const onceReached = retrying((error) => !isUnreachable(error) && isTransient(error))

/** For as long as it takes, with the same pauses: for what waits for a server that comes back. */
export const forever = retrying(isTransient, Infinity)

/** In one line. */
export const describe = ({ message, millis }: Waiting): string =>
  `${message.replace(/\.$/, "")}; next try in ${Output.duration(Math.max(1000, millis))}.`
