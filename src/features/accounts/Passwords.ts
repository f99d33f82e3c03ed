/** Passwords of accounts. They open the console and the sign-in page of assistants. An account has none at first. */
import { Clock, Context, Effect, Layer, Redacted, Result, Semaphore } from "effect"
import { isAccountId } from "#domain/account/Account.ts"
import type { AccountId } from "#domain/Ids.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as Sealing from "#src/kernel/secrets/Sealing.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import { AccountActors } from "./AccountActors.ts"
import { AccountClosed, AccountNotFound } from "./AccountErrors.ts"
import * as ApiKey from "./ApiKey.ts"
import * as PasswordHash from "./PasswordHash.ts"
import * as PasswordText from "./PasswordText.ts"
import * as Rejections from "./Rejections.ts"

/** Concurrent hashes, of the four threads that files and names also need (`UV_THREADPOOL_SIZE`). */
const mostAtOnce = 2

/** Accounts whose warning is remembered. */
const mostWarned = 10_000

/** Of a password as the account has it. Every sealed text has its own nonce. */
export const markOf = (sealed: string): string => ApiKey.sha256Hex(sealed)

export class Passwords extends Context.Service<
  Passwords,
  {
    /**
     * Replaces the password at once; `null` removes it.
     * @param options.password checked before (`PasswordText.isPassword`).
     */
    set(options: {
      readonly accountId: AccountId
      readonly password: Redacted.Redacted | null
    }): Effect.Effect<void, AccountNotFound | AccountClosed | EventStoreError>
    /**
     * The password's mark if it is correct, else `null`. Takes the same time for an unknown account or one without a
     * password: about 200 ms of another thread, a few at a time. A password sealed under another master key counts as
     * none.
     */
    verify(options: {
      readonly accountId: string
      readonly password: Redacted.Redacted
    }): Effect.Effect<string | null, EventStoreError>
    /** The mark of the current password; `null` without one. Reveals nothing and changes with every new password. */
    mark(accountId: AccountId): Effect.Effect<string | null, EventStoreError>
  }
>()("inferlog/src/features/accounts/Passwords") {
  static readonly layer = Layer.effect(
    Passwords,
    Effect.gen(function* () {
      const actors = yield* AccountActors
      const sealingKey = (yield* MasterKey).keyFor("account passwords")
      const cost = yield* PasswordHash.ScryptCost
      const threads = yield* Semaphore.make(mostAtOnce)

      const seal = Effect.fnUntraced(function* (accountId: AccountId, password: Redacted.Redacted) {
        const text = PasswordText.normalized(Redacted.value(password))
        if (text === null) return yield* Effect.die(new Error(`Expected ${PasswordText.expectation}`))
        const hash = PasswordHash.format(yield* threads.withPermit(PasswordHash.make(text, cost)))
        return Sealing.seal({ key: sealingKey, context: accountId }, Buffer.from(hash))
      })

      const set = Effect.fn("Passwords.set")(function* ({
        accountId,
        password
      }: Parameters<Passwords["Service"]["set"]>[0]) {
        const sealed = password === null ? null : yield* seal(accountId, password)
        const at = yield* Clock.currentTimeMillis
        yield* actors.execute(accountId, { _tag: "ChangePassword", at, sealed }).pipe(
          Rejections.expect({
            AccountNotFound: () => new AccountNotFound(),
            AccountClosed: () => new AccountClosed()
          })
        )
      })

      const warned = RecentlyUsed.make<true>({ capacity: mostWarned })

      /** Once for each password. */
      const warn = (accountId: AccountId, sealed: string) =>
        Effect.suspend(() => {
          if (warned.get(sealed) === true) return Effect.void
          warned.set(sealed, true)
          return Effect.logWarning(
            "The password of an account cannot be opened: it was sealed under another MASTER_KEY. Set another one"
          ).pipe(Effect.annotateLogs({ account_id: accountId }))
        })

      /** `null` for accounts without a readable password. */
      const storedOf = Effect.fnUntraced(function* (accountId: string) {
        if (!isAccountId(accountId)) return null
        // Another node may just have changed it.
        const { state } = yield* actors.refresh(accountId)
        if (state._tag !== "Account" || state.password === null) return null
        const opened = Sealing.open({ key: sealingKey, context: accountId }, state.password)
        const hash = Result.isSuccess(opened) ? PasswordHash.parse(opened.success.toString()) : null
        if (hash === null) yield* warn(accountId, state.password)
        return hash === null ? null : { hash, mark: markOf(state.password) }
      })

      const verify = Effect.fn("Passwords.verify")(function* ({
        accountId,
        password
      }: Parameters<Passwords["Service"]["verify"]>[0]) {
        const stored = (yield* storedOf(accountId)) ?? { hash: PasswordHash.ofNone(cost), mark: null }
        const text = PasswordText.normalized(Redacted.value(password)) ?? ""
        const isRight = yield* threads.withPermit(PasswordHash.matches(text, stored.hash))
        return isRight ? stored.mark : null
      })

      const mark = Effect.fnUntraced(function* (accountId: AccountId) {
        const { state } = actors.peek(accountId) ?? (yield* actors.current(accountId))
        return state._tag === "Account" && state.password !== null ? markOf(state.password) : null
      })

      return Passwords.of({ set, verify, mark })
    })
  )
}
