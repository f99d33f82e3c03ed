/** From an `Authorization` header to the caller behind it. */
import { Context, Effect, Layer, Schema } from "effect"
import * as Account from "#domain/account/Account.ts"
import * as Key from "#domain/account/Key.ts"
import { keyOf, type Opened, type State } from "#domain/account/State.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import type { Current } from "#streams/Actors.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import { AccountActors } from "./AccountActors.ts"
import * as ApiKey from "./ApiKey.ts"
import type { Caller } from "./Caller.ts"
import { KeyUse, minuteMs } from "./KeyUse.ts"

/** No header, another scheme, an unknown, revoked or expired key: told apart for nobody. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {}

const knownKeys = 1_000

/** Many programs know no scheme but Bearer (decisions, "Authorization"). An access token of OAuth is no key, and opens nothing here. */
const scheme = /^(?:key|bearer) +(\S+)$/i

/** The key of an `Authorization` header, `null` where there is none. */
export const presentedBy = (header: string | undefined): ApiKey.Presented | null =>
  ApiKey.present(scheme.exec(header ?? "")?.[1] ?? "")

/** Compared with when there is no such key, so that an unknown id takes as long as a wrong secret. */
const noSecret = ApiKey.expected(ApiKey.sha256Hex("no such key"))

const unauthorized = Effect.fail(new Unauthorized())

/** Who is behind a key, made once for as long as key and limits stay as they are: requests come by the thousand. */
interface Known {
  readonly secretHash: Buffer
  /** Of the secret before; of none when there is none. */
  readonly previousHash: Buffer
  readonly caller: Caller
  /** By the secret in force, and by the one before. */
  readonly admitted: Effect.Effect<Caller>
  readonly admittedBefore: Effect.Effect<Caller>
  /** The end of the minute for which its use is noted, Unix time in ms. */
  notedUntil: number
}

export class Authentication extends Context.Service<
  Authentication,
  {
    /**
     * `header` is `Key <keyId>:<secret>` (contract, "Authentication"), or the same under `Bearer`. The secret before the one in force is taken as long
     * as it is good. For a key that was here before this needs no read of the log, and is done synchronously.
     */
    authenticate(header: string | undefined): Effect.Effect<Caller, Unauthorized | EventStoreError>
    /** As `authenticate`, for whoever keeps a key beyond a request, without its secret. */
    recognize(presented: ApiKey.Presented): Effect.Effect<Caller, Unauthorized | EventStoreError>
  }
>()("inferlog/src/features/accounts/Authentication") {
  static readonly layer = Layer.effect(
    Authentication,
    Effect.gen(function* () {
      const actors = yield* AccountActors
      const keyUse = yield* KeyUse

      /** Of an operator's key the account is found by a hash, the same each time. */
      const accountIds = RecentlyUsed.make<AccountId>({ capacity: knownKeys })
      const accountOf = (keyId: KeyId): AccountId => {
        const known = accountIds.get(keyId)
        if (known !== undefined) return known
        const accountId = Account.accountOf(keyId, ApiKey.sha256Hex)
        accountIds.set(keyId, accountId)
        return accountId
      }

      const known = new WeakMap<Key.Key, Known>()
      const knownOf = (key: Key.Key, { accountId, limits }: Opened): Known => {
        const found = known.get(key)
        if (found?.caller.limits === limits) return found
        const caller = { accountId, keyId: key.keyId, grant: key.grant, limits, isSuperseded: false }
        const { previous, secretHash } = key
        const made = {
          secretHash: ApiKey.expected(secretHash),
          previousHash: previous === null ? noSecret : ApiKey.expected(previous.secretHash),
          caller,
          admitted: Effect.succeed(caller),
          admittedBefore: Effect.succeed({ ...caller, isSuperseded: true }),
          notedUntil: 0
        }
        known.set(key, made)
        return made
      }

      const judge = (
        presented: ApiKey.Presented,
        { state }: Current<State>,
        now: number
      ): Effect.Effect<Caller, Unauthorized> => {
        const key = keyOf(state, presented.keyId)
        const found = state._tag === "Account" && key !== undefined ? knownOf(key, state) : undefined
        // Both, always: how long it takes tells nothing of either.
        const isInForce = ApiKey.matches(presented, found?.secretHash ?? noSecret)
        const isPrevious = ApiKey.matches(presented, found?.previousHash ?? noSecret)
        if (key === undefined || found === undefined) return unauthorized
        if (!isInForce && !(isPrevious && Key.isInGrace(key, now))) return unauthorized
        if (!Key.isValid(key, now)) return unauthorized
        if (now >= found.notedUntil) {
          keyUse.note(presented.keyId, now)
          found.notedUntil = now - (now % minuteMs) + minuteMs
        }
        return isInForce ? found.admitted : found.admittedBefore
      }

      const recognize = (presented: ApiKey.Presented) =>
        Effect.clockWith((clock): Effect.Effect<Caller, Unauthorized | EventStoreError> => {
          const accountId = accountOf(presented.keyId)
          const current = actors.peek(accountId)
          return current === undefined
            ? Effect.flatMap(actors.current(accountId), (current) =>
                judge(presented, current, clock.currentTimeMillisUnsafe())
              )
            : judge(presented, current, clock.currentTimeMillisUnsafe())
        })

      const authenticate = (
        header: string | undefined
      ): Effect.Effect<Caller, Unauthorized | EventStoreError> => {
        const presented = presentedBy(header)
        return presented === null ? unauthorized : recognize(presented)
      }

      return Authentication.of({ authenticate, recognize })
    })
  ).pipe(Layer.provide(KeyUse.layer))
}
