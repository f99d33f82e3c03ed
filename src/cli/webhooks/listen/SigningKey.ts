/** What forwards are signed with: the account's secret, as the server has it now, or one that was given. */
import { Effect, Result, Schema } from "effect"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import { caller } from "#src/cli/platform/Caller.ts"
import type { Platform } from "#src/cli/platform/Platform.ts"
import * as Retrying from "#src/cli/platform/Retrying.ts"

export const path = "/webhooks/default/secret"

/** ms until a rotation shows at the latest. */
const longest = 60_000

const SecretText = Schema.String.check(
  Schema.makeFilter((text) => Result.isSuccess(StandardWebhooks.secretBytes(text)))
)
const callSecret = caller(Schema.Struct({ key: SecretText }))

const fetchKey = Effect.map(callSecret({ method: "GET", path }), ({ key }) =>
  Result.getOrThrow(StandardWebhooks.secretBytes(key))
)

type FetchError = Effect.Error<typeof fetchKey>

export interface SigningKey {
  readonly current: Effect.Effect<Uint8Array, FetchError, Platform>
  /** The app does not know it: it is asked for again before it is next used. */
  readonly doubt: Effect.Effect<void>
}

export const given = (key: Uint8Array): SigningKey => ({ current: Effect.succeed(key), doubt: Effect.void })

/**
 * Fetched now, and again before it is used when it is a minute old or was doubted. A server that is away does not change
 * it; a server that is not there to begin with is not waited for.
 */
export const ofAccount = Effect.fnUntraced(function* (
  onWait: (waiting: Retrying.Waiting) => Effect.Effect<void>
) {
  let key: Uint8Array = yield* Retrying.onceReached(fetchKey, onWait)
  let staleAt = (yield* MonotonicTime.millis) + longest

  const renew = Effect.fnUntraced(function* (now: number) {
    staleAt = now + longest
    key = yield* Effect.catchIf(fetchKey, Retrying.isTransient, () => Effect.succeed(key))
  })

  return {
    current: Effect.gen(function* () {
      const now = yield* MonotonicTime.millis
      if (now >= staleAt) yield* renew(now)
      return key
    }),
    doubt: Effect.sync(() => {
      staleAt = 0
    })
  } satisfies SigningKey
})
