/** The sessions of operators: signs in with a key, and finds who is signed in, also by single sign-on. */
import { Clock, Duration, Effect, Redacted } from "effect"
import * as Domain from "#domain/console-sessions/ConsoleSessions.ts"
import * as Operator from "#domain/operator/Operator.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import { SignInRefused, TooManySignIns } from "#src/edges/oauth/SignIn.ts"
import { SingleSignOn, type Sso } from "#src/edges/sso/SingleSignOn.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { ConsoleSessions, type Named } from "#src/features/accounts/sessions/ConsoleSessions.ts"
import * as SessionCredential from "#src/features/accounts/sessions/SessionCredential.ts"
import { actAs, type Operator as Caller } from "#src/features/operators/Operator.ts"
import { OperatorActions } from "#src/features/operators/OperatorActions.ts"
import { OperatorActors } from "#src/features/operators/OperatorActors.ts"
import { OperatorAuthentication } from "#src/features/operators/OperatorAuthentication.ts"
import * as TokenBuckets from "#src/kernel/limits/TokenBuckets.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { Sent } from "./Cookies.ts"
import { consoleSessionTime } from "./SessionTime.ts"

export interface OperatorSession {
  readonly operator: Caller
  readonly sessionId: string
  /** Unix time in ms. */
  readonly expiresAt: number
  /** `null` for a session of single sign-on. */
  readonly named: Named | null
}

/** Wrong keys from one network. */
const wrongTries = { requests: 10, windowSeconds: 60 }

const networks = 10_000

/** The call under way. */
export interface Call {
  /** Of the client, `""` when unknown. */
  readonly address: string
  readonly browser: string
  readonly callId: string
}

export const isOperatorKey = (text: string): boolean => /^(?:key\s+)?op_/i.test(text.trim())

const make = Effect.gen(function* () {
  const sessions = yield* ConsoleSessions
  const authentication = yield* OperatorAuthentication
  const actors = yield* OperatorActors
  const actions = yield* OperatorActions
  const { sso } = yield* SingleSignOn
  const clock = yield* Clock.Clock
  const buckets = TokenBuckets.make(networks)
  const lifeMs = Duration.toMillis(yield* consoleSessionTime.config)

  const byKey = Effect.fnUntraced(function* (token: string | undefined) {
    const presented = SessionCredential.present(token ?? "")
    const session = presented === null ? null : yield* sessions.find(presented)
    if (presented === null || session === null) return null
    // Another node may just have changed the key of the session.
    yield* actors.refresh(presented.holder)
    const operator = yield* authentication.recognize(presented)
    const { expiresAt, sessionId } = session
    const found: OperatorSession = {
      operator,
      sessionId,
      expiresAt,
      named: { holder: operator.id, sessionId }
    }
    return found
  })

  const bySso = (on: Sso, sent: Sent) =>
    Effect.map(on.sessionOf({ cookies: sent }), (open): OperatorSession => ({ ...open, named: null }))

  const nobody = Effect.succeed(null)

  /** @param sent all cookies of the request. */
  const find = Effect.fnUntraced(function* (token: string | undefined, sent: Sent) {
    const found = yield* Effect.catchTag(byKey(token), "Unauthorized", () => nobody)
    if (found !== null || sso === null) return found
    return yield* Effect.catchTag(bySso(sso, sent), "Unauthorized", () => nobody)
  })

  const refusal = (address: string) => {
    const network = ClientAddress.networkOf(address)
    const bucket = buckets(network, wrongTries, MonotonicTime.millisOf(clock))
    const retryAfterSeconds = TokenBuckets.takeOfAll([bucket])
    return retryAfterSeconds === 0 ? new SignInRefused() : new TooManySignIns({ retryAfterSeconds })
  }

  /** A right key always passes. */
  const open = Effect.fn("OperatorHolder.open")(function* (text: Redacted.Redacted, call: Call) {
    const key = Redacted.value(text)
      .trim()
      .replace(/^key\s+/i, "")
    const operator = yield* Effect.catchTag(authentication.authenticate(`Key ${key}`), "Unauthorized", () =>
      Effect.fail(refusal(call.address))
    )
    const { state } = yield* actors.current(operator.id)
    const presented = ApiKey.present(key)
    // Single sign-on has sessions that are sent as keys.
    if (state._tag !== "Operator" || presented === null) return yield* refusal(call.address)
    const ends = (yield* Clock.currentTimeMillis) + lifeMs
    return yield* actions
      .recorded(
        { action: "signIn", targets: {}, made: () => ({}), isRefusal: () => true },
        sessions.open({
          holder: operator.id,
          opener: { _tag: "OperatorKey", keyHash: presented.secretHash },
          browser: call.browser,
          expiresAt: Math.min(ends, state.expiresAt ?? ends)
        })
      )
      .pipe(actAs({ operator, callId: call.callId }))
  })

  /** Ends sessions of an operator, on the record. */
  const recorded = <A, E>(action: string, operator: Caller, callId: string, effect: Effect.Effect<A, E>) =>
    actions
      .recorded({ action, targets: {}, made: () => ({}), isRefusal: () => false }, effect)
      .pipe(actAs({ operator, callId }))

  /** The open sessions with the key as it is now, newest first. */
  const others = Effect.fnUntraced(function* ({ operator: { id } }: OperatorSession) {
    const { state } = yield* actors.refresh(id)
    const now = yield* Clock.currentTimeMillis
    if (state._tag !== "Operator" || !Operator.isValid(state, now)) return []
    return Domain.openSessions(yield* sessions.stateOf(id), now).filter(
      ({ opener }) => opener._tag === "OperatorKey" && opener.keyHash === state.secretHash
    )
  })

  return { find, open, recorded, others, sso }
})

export const operatorHolder = make
export type OperatorHolder = Effect.Success<typeof make>
