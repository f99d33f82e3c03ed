/** What an operator does with accounts and their keys. Secrets leave here once, and reach the log as hashes only. */
import { Clock, Context, Effect, Layer, Schema, Semaphore } from "effect"
import * as Account from "#domain/account/Account.ts"
import type { Limits } from "#domain/account/Limits.ts"
import { type AccountId, KeyId } from "#domain/Ids.ts"
import type { NanoUsd } from "#domain/Money.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { AccountActors } from "./AccountActors.ts"
import * as ApiKey from "./ApiKey.ts"
import * as Rejections from "./Rejections.ts"

export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {}) {
  override readonly message = "There is no such account"
}

/** The account was erased: nothing of it changes any more. */
export class AccountClosed extends Schema.TaggedError<AccountClosed>()("AccountClosed", {}) {
  override readonly message = "The account was erased"
}

export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", {}) {
  override readonly message = "There is no such key"
}

/** Of two payments one id: the second was for another amount. */
export class PaymentIdReused extends Schema.TaggedError<PaymentIdReused>()("PaymentIdReused", {}) {
  override readonly message = "Another amount was paid in under this payment id"
}

const gone = {
  AccountNotFound: () => new AccountNotFound(),
  AccountClosed: () => new AccountClosed()
}

export class Accounts extends Context.Service<
  Accounts,
  {
    /** Opens an account with its first key and balance. `opened` is false when it had been opened before. */
    open(options: {
      readonly name: string
      readonly key: ApiKey.ApiKey
      readonly balance: NanoUsd
    }): Effect.Effect<{ readonly accountId: AccountId; readonly opened: boolean }, EventStoreError>
    /** A new key of the account; its secret is not to be had again. */
    issueKey(options: {
      readonly accountId: AccountId
      readonly name: string
    }): Effect.Effect<ApiKey.ApiKey, AccountNotFound | AccountClosed | EventStoreError>
    /** In force at once. Revoking twice changes nothing. */
    revokeKey(keyId: string): Effect.Effect<void, KeyNotFound | EventStoreError>
    /** Pays in `amount`, which is positive. `applied` is false when it had been paid in under this payment id before. */
    topUp(options: {
      readonly accountId: AccountId
      readonly amount: NanoUsd
      readonly reference: string
      readonly paymentId: string
    }): Effect.Effect<
      { readonly applied: boolean },
      AccountNotFound | AccountClosed | PaymentIdReused | EventStoreError
    >
    /** The limits in force. */
    limits(accountId: AccountId): Effect.Effect<Limits, AccountNotFound | EventStoreError>
    /** Gives the limits in force from now on: those that are left out stay as they are. */
    changeLimits(options: {
      readonly accountId: AccountId
      readonly limits: Partial<Limits>
    }): Effect.Effect<Limits, AccountNotFound | AccountClosed | EventStoreError>
  }
>()("inferlog/src/accounts/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const actors = yield* AccountActors
      /** Limits are read before they are changed: of two changes at once neither undoes the other. */
      const limitsLock = yield* Semaphore.make(1)

      const newKey = (key: ApiKey.ApiKey, name: string): Account.NewKey => ({
        keyId: key.keyId,
        name,
        secretHash: ApiKey.hashSecret(key.secret)
      })

      const open = Effect.fn("Accounts.open")(function* ({
        name,
        key,
        balance
      }: Parameters<Accounts["Service"]["open"]>[0]) {
        const accountId = Account.accountOf(key.keyId, ApiKey.sha256Hex)
        const at = yield* Clock.currentTimeMillis
        const { events } = yield* actors
          .execute(accountId, { _tag: "Open", at, accountId, name, key: newKey(key, "first key"), balance })
          .pipe(Rejections.none)
        return { accountId, opened: events.length > 0 }
      })

      const issueKey = Effect.fn("Accounts.issueKey")(function* ({
        accountId,
        name
      }: Parameters<Accounts["Service"]["issueKey"]>[0]) {
        const key = {
          keyId: Account.makeKeyId(accountId, ApiKey.randomLetters(8)),
          secret: ApiKey.makeSecret()
        }
        const at = yield* Clock.currentTimeMillis
        yield* actors
          .execute(accountId, { _tag: "IssueKey", at, key: newKey(key, name) })
          .pipe(Rejections.expect(gone))
        return key
      })

      const revokeKey = Effect.fn("Accounts.revokeKey")(function* (keyId: string) {
        const at = yield* Clock.currentTimeMillis
        const accountId = Account.accountOf(keyId, ApiKey.sha256Hex)
        const notFound = () => new KeyNotFound()
        yield* actors
          .execute(accountId, { _tag: "RevokeKey", at, keyId: KeyId.make(keyId) })
          .pipe(Rejections.expect({ AccountNotFound: notFound, KeyNotFound: notFound }))
      })

      const topUp = Effect.fn("Accounts.topUp")(function* ({
        accountId,
        ...payment
      }: Parameters<Accounts["Service"]["topUp"]>[0]) {
        const at = yield* Clock.currentTimeMillis
        const { events } = yield* actors
          .execute(accountId, { _tag: "TopUp", at, ...payment })
          .pipe(Rejections.expect({ ...gone, PaymentIdReused: () => new PaymentIdReused() }))
        return { applied: events.length > 0 }
      })

      const limits = Effect.fn("Accounts.limits")(function* (accountId: AccountId) {
        const { state } = yield* actors.refresh(accountId)
        return state._tag === "Account" ? state.limits : yield* new AccountNotFound()
      })

      const changeLimits = Effect.fn("Accounts.changeLimits")(function* ({
        accountId,
        limits: changes
      }: Parameters<Accounts["Service"]["changeLimits"]>[0]) {
        const changed = { ...(yield* limits(accountId)), ...changes }
        const at = yield* Clock.currentTimeMillis
        yield* actors
          .execute(accountId, { _tag: "ChangeLimits", at, limits: changed })
          .pipe(Rejections.expect(gone))
        return changed
      })

      return Accounts.of({
        open,
        issueKey,
        revokeKey,
        topUp,
        limits,
        changeLimits: (options) => limitsLock.withPermit(Effect.uninterruptible(changeLimits(options)))
      })
    })
  )
}
