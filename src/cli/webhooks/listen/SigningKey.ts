/** The key that signs forwards: the current secret of the account, or a given one. */
import { Effect, Result, Schema } from "effect"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import { route } from "#src/cli/platform/Platform.ts"
import type { Platform } from "#src/cli/platform/Platform.ts"
import * as Retrying from "#src/cli/platform/Retrying.ts"

export const path = "/webhooks/default/secret"

/** Longest time until a rotation is noticed, ms. */
const longest = 60_000

const SecretText = Schema.String.check(
  Schema.makeFilter((text) => Result.isSuccess(StandardWebhooks.secretBytes(text)))
)
const callSecret = route(Schema.Struct({ key: SecretText }), () => ({ method: "GET", path }))

const fetchKey = Effect.map(callSecret(), ({ key }) => Result.getOrThrow(StandardWebhooks.secretBytes(key)))

type FetchError = Effect.Error<typeof fetchKey>

export interface SigningKey {
  readonly current: Effect.Effect<Uint8Array, FetchError, Platform>
  /** Fetches the key again before its next use, because the app may have rejected the signature. */
  readonly expire: Effect.Effect<void>
}

export const given = (key: Uint8Array): SigningKey => ({ current: Effect.succeed(key), expire: Effect.void })

/**
 * Fetches the key now, and again before use when it is a minute old, or after `expire`. The old key stays in use while the
 * server is unavailable. Fails when the server is unreachable at the start.
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
    expire: Effect.sync(() => {
      staleAt = 0
    })
  } satisfies SigningKey
})
