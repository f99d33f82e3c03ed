/** Passwords of accounts: they open nothing but the sign-in page of assistants, and every account is without one at first. */
import { Clock, Context, Effect, Layer, Redacted, Result, Semaphore } from "effect"
import { isAccountId } from "#domain/account/Account.ts"
import type { AccountId } from "#domain/Ids.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as Sealing from "#src/kernel/secrets/Sealing.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import { AccountActors } from "./AccountActors.ts"
import { AccountClosed, AccountNotFound } from "./Accounts.ts"
import * as ApiKey from "./ApiKey.ts"
import * as PasswordHash from "./PasswordHash.ts"
import * as PasswordText from "./PasswordText.ts"
import * as Rejections from "./Rejections.ts"

/** Of the four threads that files and names need too (`UV_THREADPOOL_SIZE`). */
const mostAtOnce = 2

/** Passwords that are remembered as warned of. */
const mostWarned = 10_000

/** What is sealed has a nonce of its own each time. */
const markOf = (sealed: string): string => ApiKey.sha256Hex(sealed)

export class Passwords extends Context.Service<
  Passwords,
  {
    /**
     * In force at once, in place of the one before; `null`: the account has none any more.
     *
     * @param options.password looked at before (`PasswordText.isPassword`): another text is a bug.
     */
    set(options: {
      readonly accountId: AccountId
      readonly password: Redacted.Redacted | null
    }): Effect.Effect<void, AccountNotFound | AccountClosed | EventStoreError>
    /**
     * Its mark if it is the account's, `null` otherwise. It takes as long for an account that does not exist or has none.
     * Some 200 ms of another thread: few are looked at at once. A password that was sealed under another master key is
     * none, until another is set.
     */
    verify(options: {
      readonly accountId: string
      readonly password: Redacted.Redacted
    }): Effect.Effect<string | null, EventStoreError>
    /**
     * Of the password in force, `null` where there is none. It tells nothing of the password, and is another one for each
     * that was ever set: also for the same text set again.
     */
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

      /** `null` for accounts without one that can be looked at. */
      const storedOf = Effect.fnUntraced(function* (accountId: string) {
        if (!isAccountId(accountId)) return null
        // Another node may have changed it a moment ago.
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
