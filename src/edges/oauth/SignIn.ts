/** Signs in a user of a form, of an assistant's page or of the console: with an API key, or with the account's password. */
import { Clock, Context, Effect, Exit, Layer, Redacted, Schema } from "effect"
import { isAccountId } from "#domain/account/Account.ts"
import type { AccountId } from "#domain/Ids.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { ofTools } from "./ToolScopes.ts"
import type { Rate } from "#domain/account/Limits.ts"
import * as TokenBucket from "#src/kernel/limits/TokenBucket.ts"
import * as TokenBuckets from "#src/kernel/limits/TokenBuckets.ts"
import { groupOf, privateAddresses } from "#src/edges/http/edge/AddressGroup.ts"

/** Per public IPv4 address or IPv6 /64 (one customer of an access provider), for each kind of credential. */
export const ofAddress: Rate = { requests: 30, windowSeconds: 10 * 60 }

/** All private addresses together, for each kind: one may be a proxy with every client behind it. */
const ofHouse: Rate = { requests: 100, windowSeconds: 10 * 60 }

/** Per account, with its password: 960 guesses a day. */
const ofAccount: Rate = { requests: 10, windowSeconds: 15 * 60 }

/** Passwords of all accounts: 120 a minute, which use less than half a core, with up to 30 waiting. */
const ofPasswords: Rate = { requests: 30, windowSeconds: 15 }

/** Buckets in memory. `ofPasswords` cannot touch enough other buckets to evict one before it is full again. */
const mostAccounts = 4_000
const mostAddresses = 20_000

interface Attempt {
  /** `null` for a wrong key. Names that cannot be an account's share one value. */
  readonly account: string | null
  /** `""` when unknown. */
  readonly clientAddress: string
}

/** Takes an attempt from every limit that concerns it, or from none. */
export const makeSignInLimits = () => {
  const addresses = TokenBuckets.make(mostAddresses)
  const accounts = TokenBuckets.make(mostAccounts)
  const passwords = TokenBucket.full(ofPasswords, 0)

  /** @param now ms of a clock that is never set back. */
  return ({ account, clientAddress }: Attempt, now: number) => {
    TokenBucket.refill(passwords, ofPasswords, now)
    const source = groupOf(clientAddress)
    const kind = account === null ? "key" : "password"
    const buckets = [
      addresses(`${kind} ${source}`, source === privateAddresses ? ofHouse : ofAddress, now),
      ...(account === null ? [] : [accounts(account, ofAccount, now), passwords])
    ]
    return {
      /** 0 when the attempt was taken. */
      waitSeconds: TokenBuckets.takeOfAll(buckets),
      giveBack: () => buckets.forEach(TokenBucket.giveBack)
    }
  }
}

export type Credentials =
  | { readonly _tag: "Key"; readonly text: Redacted.Redacted }
  | { readonly _tag: "Password"; readonly account: string; readonly password: Redacted.Redacted }

/** By a key or by a password. The sign-in ends with it. After a sign-in by password, the permission issues a key. */
export type SignedIn =
  | { readonly _tag: "ByKey"; readonly presented: ApiKey.Presented; readonly caller: Caller }
  | {
      readonly _tag: "ByPassword"
      readonly accountId: AccountId
      /** The password's mark (`Passwords.mark`). */
      readonly passwordMark: string
    }

/** An unknown account, a wrong password or an invalid key. The answer is the same for all. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {}) {}

/** The key has no scope that a tool needs (`ToolScopes`). */
export class NothingGranted extends Schema.TaggedError<NothingGranted>()("NothingGranted", {}) {}

/** Too many attempts have failed, from this address, for this account or in total. With a key: one more wrong key. */
export class TooManySignIns extends Schema.TaggedError<TooManySignIns>()("TooManySignIns", {
  retryAfterSeconds: Schema.Int
}) {}

const make = Effect.gen(function* () {
  const { recognize } = yield* Authentication
  const passwords = yield* Passwords
  const clock = yield* Clock.Clock
  const takeAttempt = makeSignInLimits()

  /** Refuses the previous secret of a rotated key without revealing that it was one (`SecretSuperseded`). */
  const byKey = Effect.fnUntraced(function* (text: Redacted.Redacted) {
    const presented = ApiKey.present(keyText(Redacted.value(text)))
    if (presented === null) return yield* new SignInRefused()
    const caller = yield* Effect.catchTag(recognize(presented), "Unauthorized", () => new SignInRefused())
    if (caller.isSuperseded) return yield* new SignInRefused()
    const signedIn: SignedIn = { _tag: "ByKey", presented, caller }
    return signedIn
  })

  const byPassword = Effect.fnUntraced(function* (accountId: string, password: Redacted.Redacted) {
    const passwordMark = yield* passwords.verify({ accountId, password })
    if (passwordMark === null || !isAccountId(accountId)) return yield* new SignInRefused()
    const signedIn: SignedIn = { _tag: "ByPassword", accountId, passwordMark }
    return signedIn
  })

  const take = Effect.fnUntraced(function* (attempt: Attempt) {
    const { giveBack, waitSeconds } = takeAttempt(attempt, MonotonicTime.millisOf(clock))
    if (waitSeconds > 0) return yield* new TooManySignIns({ retryAfterSeconds: waitSeconds })
    return giveBack
  })

  /**
   * With any rights. A right key always passes; passwords are checked only while attempts are left.
   * @param clientAddress `""` when unknown.
   */
  const signIn = Effect.fn("SignIn.signIn")(function* (credentials: Credentials, clientAddress: string) {
    if (credentials._tag === "Key") {
      return yield* Effect.tapErrorTag(byKey(credentials.text), "SignInRefused", () =>
        take({ account: null, clientAddress })
      )
    }
    const accountId = credentials.account.trim()
    const giveBack = yield* take({ account: isAccountId(accountId) ? accountId : "", clientAddress })
    return yield* Effect.onExit(byPassword(accountId, credentials.password), (exit) =>
      Effect.sync(() => (isCounted(exit) ? undefined : giveBack()))
    )
  })

  /** For an assistant: the key must be of use to its tools. */
  const attempt = (credentials: Credentials, clientAddress: string) =>
    Effect.tap(signIn(credentials, clientAddress), (signedIn) =>
      signedIn._tag === "ByKey" && ofTools(signedIn.caller.grant).scopes.length === 0
        ? Effect.fail(new NothingGranted())
        : Effect.void
    )

  return { attempt, signIn }
})

export class SignIn extends Context.Service<SignIn, Effect.Success<typeof make>>()(
  "inferlog/src/edges/oauth/SignIn"
) {
  static readonly layer = Layer.effect(SignIn, make)
}

/** The pasted text may begin with the scheme of an `Authorization` header. */
const keyText = (pasted: string): string => pasted.trim().replace(/^key\s+/i, "")

/** Whether an attempt counts as failed: a wrong guess or an interrupted one. An unavailable log does not count. */
export const isCounted = (exit: Exit.Exit<unknown, { readonly _tag: string }>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.every((reason) => reason._tag !== "Fail" || reason.error._tag === "SignInRefused")
