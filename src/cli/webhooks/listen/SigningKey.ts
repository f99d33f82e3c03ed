/** The key that signs forwards: the current secret of the account, or a given one. */
import { Effect } from "effect"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import * as CallError from "#src/cli/platform/CallError.ts"
import * as Platform from "#src/cli/platform/Platform.ts"

export const path = "/webhooks/default/secret"

/** Longest time until a rotation is noticed, ms. */
const longest = 60_000

const fetchKey = Effect.fnUntraced(function* (connection?: Platform.Connection) {
  const { key } = yield* Platform.call((client, signal) => client.webhooks.secret({ signal }), connection)
  return yield* Effect.mapError(
    Effect.fromResult(StandardWebhooks.secretBytes(key)),
    (cause) => new CallError.CallError({ message: `${path} returns no signing secret`, cause })
  )
})

export interface SigningKey {
  readonly current: Effect.Effect<Uint8Array, Effect.Error<ReturnType<typeof fetchKey>>, Platform.Platform>
  /** Fetches the key again before its next use, because the app may have rejected the signature. */
  readonly expire: Effect.Effect<void>
}

export const given = (key: Uint8Array): SigningKey => ({ current: Effect.succeed(key), expire: Effect.void })

/**
 * Fetches the key now, and again before use when it is a minute old, or after `expire`. The old key stays in use while the
 * server is unavailable. Fails when the server is unreachable at the start.
 */
export const ofAccount = Effect.gen(function* () {
  let key: Uint8Array = yield* fetchKey()
  let staleAt = (yield* MonotonicTime.millis) + longest

  const renew = Effect.fnUntraced(function* (now: number) {
    staleAt = now + longest
    key = yield* Effect.catchIf(fetchKey({ retries: 0 }), CallError.isTransient, () => Effect.succeed(key))
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
