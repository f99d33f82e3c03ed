/** Finds the caller of an `Authorization` header, which has a key, a token of one, or a session of the console. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as Account from "#domain/account/Account.ts"
import type * as ConsoleSessions from "#domain/console-sessions/ConsoleSessions.ts"
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
import { ConsoleSessionActors } from "./sessions/ConsoleSessionActors.ts"
import * as SessionCredential from "./sessions/SessionCredential.ts"
import * as SessionKey from "./sessions/SessionKey.ts"
import * as Token from "./tokens/Token.ts"
import * as VerifiedTokens from "./tokens/VerifiedTokens.ts"

/** No header, another scheme, or an unknown, revoked or expired key or token. Callers cannot distinguish these. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {}

const knownKeys = 1_000

/** Many programs only know Bearer (decisions, "Authorization"). OAuth access tokens are not keys and are refused. */
const scheme = /^(?:key|bearer) +(\S+)$/i

/** What opens an account: a key, a token of a key, or a session of the console. */
export type Credential = ApiKey.Presented | Token.Presented | SessionCredential.Presented

const isToken = (presented: ApiKey.Presented | Token.Presented): presented is Token.Presented =>
  "mac" in presented

const isSession = (presented: Credential): presented is SessionCredential.Presented =>
  "sessionId" in presented

/** The key of an `Authorization` header; `null` without one. */
export const presentedBy = (header: string | undefined): ApiKey.Presented | null =>
  ApiKey.present(scheme.exec(header ?? "")?.[1] ?? "")

/** The key, token or session of an `Authorization` header; `null` without one. */
export const credentialOf = (header: string | undefined): Credential | null => {
  const text = scheme.exec(header ?? "")?.[1]
  if (text === undefined) return SessionCredential.presentedBy(header)
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
    /** The key of a header that was authenticated: that of the session for a session. `null` for a token. */
    keyOf(header: string | undefined): Effect.Effect<ApiKey.Presented | null, EventStoreError>
  }
>()("inferlog/src/features/accounts/Authentication") {
  static readonly layer = Layer.effect(
    Authentication,
    Effect.gen(function* () {
      const actors = yield* AccountActors
      const sessionActors = yield* ConsoleSessionActors
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

      const judge = (presented: ApiKey.Presented | Token.Presented, current: Current<State>, now: number) =>
        isToken(presented) ? judgeToken(presented, current, now) : judgeKey(presented, current, now)

      type Sessions = Current<ConsoleSessions.State>

      /** A session is never wider than its key, and ends with the key's secret and with the password. */
      const judgeSession = (
        presented: SessionCredential.Presented,
        { state }: Sessions,
        account: Current<State>,
        now: number
      ): Effect.Effect<Caller, Unauthorized> => {
        const session = SessionCredential.find(presented, state, now)
        const key = session === null ? null : SessionKey.of(session.opener, account.state)
        return key === null ? unauthorized : judgeKey(key, account, now)
      }

      /** Another node may just have opened the session: one that is unknown here is looked for on the log. */
      const sessionsOf = (presented: SessionCredential.Presented) =>
        Effect.flatMap(sessionActors.current(presented.holder), (current) =>
          SessionCredential.isKnown(presented, current.state)
            ? Effect.succeed(current)
            : sessionActors.refresh(presented.holder)
        )

      const recognizeSession = (
        presented: SessionCredential.Presented
      ): Effect.Effect<Caller, Unauthorized | EventStoreError> => {
        const { holder } = presented
        const sessions = sessionActors.peek(holder)
        const account = actors.peek(holder)
        if (
          sessions === undefined ||
          account === undefined ||
          !SessionCredential.isKnown(presented, sessions.state)
        ) {
          // Another node may also have issued its key just now.
          return Effect.flatMap(
            Effect.all([actors.refresh(holder), sessionsOf(presented)]),
            ([account, sessions]) =>
              judgeSession(presented, sessions, account, clock.currentTimeMillisUnsafe())
          )
        }
        return judgeSession(presented, sessions, account, clock.currentTimeMillisUnsafe())
      }

      const recognize = (presented: Credential): Effect.Effect<Caller, Unauthorized | EventStoreError> => {
        if (isSession(presented)) return recognizeSession(presented)
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

      const ownKeyOf: Authentication["Service"]["keyOf"] = Effect.fnUntraced(function* (header) {
        const presented = SessionCredential.presentedBy(header)
        if (presented === null) return presentedBy(header)
        const { state } = yield* sessionsOf(presented)
        const session = SessionCredential.find(presented, state, clock.currentTimeMillisUnsafe())
        return session === null
          ? null
          : SessionKey.of(session.opener, (yield* actors.current(presented.holder)).state)
      })

      return Authentication.of({ authenticate, recognize, keyOf: ownKeyOf })
    })
  ).pipe(Layer.provide(KeyUse.layer))
}
