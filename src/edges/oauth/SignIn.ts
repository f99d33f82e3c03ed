/** Signs in the user of the form that an assistant has opened: with an API key, or with the account's password. */
import { Clock, Context, Effect, Exit, Layer, Redacted, Schema } from "effect"
import { isAccountId } from "#domain/account/Account.ts"
import type { AccountId } from "#domain/Ids.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as SignInLimits from "./SignInLimits.ts"
import { ofTools } from "./ToolScopes.ts"

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

export class SignIn extends Context.Service<
  SignIn,
  {
    /** @param clientAddress `""` when unknown. */
    attempt(options: {
      readonly credentials: Credentials
      readonly clientAddress: string
    }): Effect.Effect<SignedIn, SignInRefused | NothingGranted | TooManySignIns | EventStoreError>
  }
>()("inferlog/src/edges/oauth/SignIn") {
  static readonly layer = Layer.effect(
    SignIn,
    Effect.gen(function* () {
      const { recognize } = yield* Authentication
      const passwords = yield* Passwords
      const clock = yield* Clock.Clock
      const limits = SignInLimits.make()

      /**
       * Refuses the previous secret of a rotated key, without telling others that it was one (`SecretSuperseded`).
       */
      const byKey = Effect.fnUntraced(function* (text: Redacted.Redacted) {
        const presented = ApiKey.present(keyText(Redacted.value(text)))
        if (presented === null) return yield* new SignInRefused()
        const caller = yield* Effect.catchTag(recognize(presented), "Unauthorized", () => new SignInRefused())
        if (caller.isSuperseded) return yield* new SignInRefused()
        if (ofTools(caller.grant).scopes.length === 0) return yield* new NothingGranted()
        return { _tag: "ByKey", presented, caller } as const
      })

      const byPassword = Effect.fnUntraced(function* (accountId: string, password: Redacted.Redacted) {
        const passwordMark = yield* passwords.verify({ accountId, password })
        if (passwordMark === null || !isAccountId(accountId)) return yield* new SignInRefused()
        return { _tag: "ByPassword", accountId, passwordMark } as const
      })

      const take = Effect.fnUntraced(function* (attempt: SignInLimits.Attempt) {
        const taken = limits.take(attempt, MonotonicTime.millisOf(clock))
        if (taken._tag === "Taken") return taken
        return yield* new TooManySignIns({ retryAfterSeconds: taken.retryAfterSeconds })
      })

      const attempt: SignIn["Service"]["attempt"] = Effect.fn("SignIn.attempt")(function* ({
        clientAddress,
        credentials
      }) {
        if (credentials._tag === "Key") {
          return yield* Effect.tapErrorTag(byKey(credentials.text), "SignInRefused", () =>
            take({ account: null, clientAddress })
          )
        }
        const accountId = credentials.account.trim()
        const taken = yield* take({ account: isAccountId(accountId) ? accountId : "", clientAddress })
        return yield* Effect.onExit(byPassword(accountId, credentials.password), (exit) =>
          Effect.sync(() => (isCounted(exit) ? undefined : taken.giveBack()))
        )
      })

      return SignIn.of({ attempt })
    })
  )
}

/** The pasted text may begin with the scheme of an `Authorization` header. */
const keyText = (pasted: string): string => pasted.trim().replace(/^key\s+/i, "")

/**
 * Whether the attempt counts as failed: a wrong guess or an interrupted attempt. An unavailable log does not count.
 */
export const isCounted = (exit: Exit.Exit<unknown, { readonly _tag: string }>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.every((reason) => reason._tag !== "Fail" || reason.error._tag === "SignInRefused")
