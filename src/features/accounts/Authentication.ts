/** Finds the caller of an `Authorization` header, which has a key or a token of one. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as Account from "#domain/account/Account.ts"
import * as Key from "#domain/account/Key.ts"
import { keyOf, type Opened, type State } from "#domain/account/State.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import type { Current } from "#streams/LiveActors.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import { AccountActors } from "./AccountActors.ts"
import * as ApiKey from "./ApiKey.ts"
import type { Caller } from "./Caller.ts"
import { KeyUse, minuteMs } from "./KeyUse.ts"
import * as Token from "./tokens/Token.ts"
import * as VerifiedTokens from "./tokens/VerifiedTokens.ts"

/** No header, another scheme, or an unknown, revoked or expired key or token. Callers cannot distinguish these. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {}

const knownKeys = 1_000

/** Many programs only know Bearer (decisions, "Authorization"). OAuth access tokens are not keys and are refused. */
const scheme = /^(?:key|bearer) +(\S+)$/i

/** What opens an account: a key, or a token of a key. */
export type Credential = ApiKey.Presented | Token.Presented

const isToken = (presented: Credential): presented is Token.Presented => "mac" in presented

/** The key of an `Authorization` header; `null` without one. */
export const presentedBy = (header: string | undefined): ApiKey.Presented | null =>
  ApiKey.present(scheme.exec(header ?? "")?.[1] ?? "")

/** The key or token of an `Authorization` header; `null` without one. */
export const credentialOf = (header: string | undefined): Credential | null => {
  const text = scheme.exec(header ?? "")?.[1] ?? ""
  return ApiKey.present(text) ?? Token.present(text)
}

const noSecretHash = ApiKey.sha256Hex("no such key")

/** Compared when the key does not exist, so that an unknown id takes as long as a wrong secret. */
const noSecret = ApiKey.expected(noSecretHash)

const unauthorized = Effect.fail(new Unauthorized())

/** The caller behind a key, made once until key or limits change, because requests are frequent. */
interface Known {
  readonly secretHash: Buffer
  /** The previous secret's hash, or one that matches nothing. */
  readonly previousHash: Buffer
  readonly caller: Caller
  /** By the current secret, and by the previous one. */
  readonly admitted: Effect.Effect<Caller>
  readonly admittedBefore: Effect.Effect<Caller>
  /** Until then its use is recorded, Unix time in ms (to the minute). */
  notedUntil: number
}

export class Authentication extends Context.Service<
  Authentication,
  {
    /**
     * `header` is `Key <keyId>:<secret>` or the same with `Bearer`, or has a token instead. The result for a known key is an
     * `Exit`.
     */
    authenticate(header: string | undefined): Effect.Effect<Caller, Unauthorized | EventStoreError>
    /** As `authenticate`, for callers that keep a key without its secret beyond a request. */
    recognize(presented: Credential): Effect.Effect<Caller, Unauthorized | EventStoreError>
  }
>()("inferlog/src/features/accounts/Authentication") {
  static readonly layer = Layer.effect(
    Authentication,
    Effect.gen(function* () {
      const actors = yield* AccountActors
      const keyUse = yield* KeyUse
      const clock = yield* Clock.Clock
      const verify = VerifiedTokens.make((yield* MasterKey).keyFor(Token.purpose))

      /** The account of an operator's key follows from a hash. */
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
        const caller = {
          accountId,
          keyId: key.keyId,
          grant: key.grant,
          limits,
          isSuperseded: false,
          token: null
        }
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

      const note = (found: Known, now: number) => {
        if (now < found.notedUntil) return
        keyUse.note(found.caller.keyId, now)
        found.notedUntil = now - (now % minuteMs) + minuteMs
      }

      /** A token is valid as long as the secret that it was made with. */
      const judgeToken = (
        presented: Token.Presented,
        { state }: Current<State>,
        now: number
      ): Effect.Effect<Caller, Unauthorized> => {
        const key = keyOf(state, presented.keyId)
        // A token that is refused always costs both, so that the time reveals nothing.
        const made = verify(presented, key?.secretHash ?? noSecretHash)
        const claims = made ?? verify(presented, key?.previous?.secretHash ?? noSecretHash)
        if (key === undefined || state._tag !== "Account" || claims === null) return unauthorized
        if (made === null && !Key.isInGrace(key, now)) return unauthorized
        if (!Key.isValid(key, now) || !Token.isCurrent(claims, now)) return unauthorized
        const found = knownOf(key, state)
        note(found, now)
        const { id, isReadOnly, request } = claims
        const grant = Token.grantOf(claims, key.grant)
        return Effect.succeed({ ...found.caller, grant, token: { id, isReadOnly, request } })
      }

      const judgeKey = (
        presented: ApiKey.Presented,
        { state }: Current<State>,
        now: number
      ): Effect.Effect<Caller, Unauthorized> => {
        const key = keyOf(state, presented.keyId)
        const found = state._tag === "Account" && key !== undefined ? knownOf(key, state) : undefined
        // Always computes both, so that the time reveals nothing.
        const isInForce = ApiKey.matches(presented, found?.secretHash ?? noSecret)
        const isPrevious = ApiKey.matches(presented, found?.previousHash ?? noSecret)
        if (key === undefined || found === undefined) return unauthorized
        if (!isInForce && !(isPrevious && Key.isInGrace(key, now))) return unauthorized
        if (!Key.isValid(key, now)) return unauthorized
        note(found, now)
        return isInForce ? found.admitted : found.admittedBefore
      }

      const judge = (presented: Credential, current: Current<State>, now: number) =>
        isToken(presented) ? judgeToken(presented, current, now) : judgeKey(presented, current, now)

      const recognize = (presented: Credential): Effect.Effect<Caller, Unauthorized | EventStoreError> => {
        const accountId = accountOf(presented.keyId)
        const current = actors.peek(accountId)
        return current === undefined
          ? Effect.flatMap(actors.current(accountId), (current) =>
              judge(presented, current, clock.currentTimeMillisUnsafe())
            )
          : judge(presented, current, clock.currentTimeMillisUnsafe())
      }

      const authenticate = (
        header: string | undefined
      ): Effect.Effect<Caller, Unauthorized | EventStoreError> => {
        const presented = credentialOf(header)
        return presented === null ? unauthorized : recognize(presented)
      }

      return Authentication.of({ authenticate, recognize })
    })
  ).pipe(Layer.provide(KeyUse.layer))
}
