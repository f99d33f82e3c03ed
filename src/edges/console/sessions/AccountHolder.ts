/** The sessions of accounts: signs in with a key or a password, and finds who is signed in. */
import { Clock, Duration, Effect } from "effect"
import * as Domain from "#domain/console-sessions/ConsoleSessions.ts"
import * as Key from "#domain/account/Key.ts"
import { keyOf, type State } from "#domain/account/State.ts"
import { type Credentials, SignIn, type SignedIn } from "#src/edges/oauth/SignIn.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { ConsoleSessions, type Named } from "#src/features/accounts/sessions/ConsoleSessions.ts"
import * as PasswordKey from "#src/features/accounts/sessions/PasswordKey.ts"
import * as SessionCredential from "#src/features/accounts/sessions/SessionCredential.ts"
import * as SessionKey from "#src/features/accounts/sessions/SessionKey.ts"
import { consoleSessionTime } from "./SessionTime.ts"

export interface AccountSession {
  readonly caller: Caller
  readonly keyName: string
  readonly session: Domain.Session
  readonly named: Named
}

/** What the session acts under, and whether it was opened by password. */
interface Basis {
  readonly opener: Domain.Opener
  readonly accountId: string
  /** Unix time in ms; `null`: never. */
  readonly keyExpiresAt: number | null
}

const make = Effect.gen(function* () {
  const { signIn } = yield* SignIn
  const sessions = yield* ConsoleSessions
  const authentication = yield* Authentication
  const actors = yield* AccountActors
  const passwordKey = yield* PasswordKey.make
  const lifeMs = Duration.toMillis(yield* consoleSessionTime.config)

  const find = Effect.fnUntraced(function* (token: string | undefined) {
    const presented = SessionCredential.present(token ?? "")
    const session = presented === null ? null : yield* sessions.find(presented)
    if (presented === null || session === null) return null
    // Another node may just have issued the key of the session.
    yield* actors.refresh(presented.holder)
    const caller = yield* Effect.catchTag(authentication.recognize(presented), "Unauthorized", () =>
      Effect.succeed(null)
    )
    if (caller === null) return null
    const { state } = yield* actors.current(caller.accountId)
    const found: AccountSession = {
      caller,
      keyName: keyOf(state, caller.keyId)?.name ?? "",
      session,
      named: { holder: presented.holder, sessionId: presented.sessionId }
    }
    return found
  })

  const basisOf = Effect.fnUntraced(function* (signedIn: SignedIn) {
    if (signedIn._tag === "ByKey") {
      const { caller, presented } = signedIn
      const opener = { _tag: "Key", keyId: caller.keyId, keyHash: presented.secretHash } as const
      const basis: Basis = { opener, accountId: caller.accountId, keyExpiresAt: caller.grant.expiresAt }
      return basis
    }
    const { accountId, passwordMark } = signedIn
    const { keyHash, keyId } = yield* passwordKey(accountId)
    const opener = { _tag: "Password", passwordMark, keyId, keyHash } as const
    const basis: Basis = { opener, accountId, keyExpiresAt: null }
    return basis
  })

  /** @param address of the client, `""` when unknown. */
  const open = Effect.fn("AccountHolder.open")(function* (
    credentials: Credentials,
    { address, browser }: { readonly address: string; readonly browser: string }
  ) {
    const { accountId, keyExpiresAt, opener } = yield* basisOf(yield* signIn(credentials, address))
    const ends = (yield* Clock.currentTimeMillis) + lifeMs
    return yield* sessions.open({
      holder: accountId,
      opener,
      browser,
      expiresAt: Math.min(ends, keyExpiresAt ?? ends)
    })
  })

  const isInForce = ({ opener }: Domain.Session, state: State, now: number): boolean => {
    const key = SessionKey.of(opener, state)
    const known = key === null ? undefined : keyOf(state, key.keyId)
    return known !== undefined && Key.isValid(known, now)
  }

  /** Without `keys:admin`, only sessions with the same key: a key may do nothing to others. */
  const isOpenTo = ({ caller }: AccountSession, { opener }: Domain.Session): boolean =>
    caller.grant.scopes.includes("keys:admin") ||
    (opener._tag !== "OperatorKey" && opener.keyId === caller.keyId)

  /** The sessions that the given one may see and end, newest first. */
  const others = Effect.fnUntraced(function* (own: AccountSession) {
    const { accountId } = own.caller
    const found = yield* sessions.stateOf(accountId)
    const { state } = yield* actors.refresh(accountId)
    const now = yield* Clock.currentTimeMillis
    return Domain.openSessions(found, now).filter(
      (session) => isInForce(session, state, now) && isOpenTo(own, session)
    )
  })

  return { find, open, others }
})

export const accountHolder = make
export type AccountHolder = Effect.Success<typeof make>
