/** The operator's administration of accounts and keys. Secrets are returned once; the log has only their hashes. */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import * as Key from "#domain/account/Key.ts"
import type { Limits } from "#domain/account/Limits.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import type { NanoUsd } from "#domain/Money.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { AccountActors } from "./AccountActors.ts"
import type * as ApiKey from "./ApiKey.ts"
import * as KeyCommands from "./KeyCommands.ts"
import { KeyExpired, KeyNotFound, KeyRevoked, TooManyKeys } from "./KeyErrors.ts"
import * as Rejections from "./Rejections.ts"
import { AccountNotFound, AccountClosed, PaymentIdReused } from "./AccountErrors.ts"

const gone = {
  AccountNotFound: () => new AccountNotFound(),
  AccountClosed: () => new AccountClosed()
}

const noKey = { AccountNotFound: () => new KeyNotFound(), KeyNotFound: () => new KeyNotFound() }

export class Accounts extends Context.Service<
  Accounts,
  {
    /** Opens an account with its first key and balance. `opened` is false if it existed before. */
    open(options: {
      readonly name: string
      readonly key: ApiKey.ApiKey
      readonly balance: NanoUsd
    }): Effect.Effect<{ readonly accountId: AccountId; readonly opened: boolean }, EventStoreError>
    /**
     * Creates a key, with all rights unless a grant is given. Its secret cannot be read again.
     * @param options.key made in advance with `KeyCommands.make`, for callers that store its id before the key is
     * valid.
     */
    issueKey(options: {
      readonly accountId: AccountId
      readonly name: string
      readonly grant?: Grant.Grant
      readonly key?: ApiKey.ApiKey
    }): Effect.Effect<ApiKey.ApiKey, AccountNotFound | AccountClosed | TooManyKeys | EventStoreError>
    /** Replaces the secret at once. The current one stays valid for `graceMs`; the one before it does not. */
    rotateKey(options: { readonly keyId: KeyId; readonly graceMs: number }): Effect.Effect<
      {
        readonly accountId: AccountId
        readonly key: ApiKey.ApiKey
        /** Unix time in ms; `null` if the previous secret is invalid. */
        readonly previousExpiresAt: number | null
      },
      KeyNotFound | KeyRevoked | KeyExpired | EventStoreError
    >
    /** Revokes the key at once. Repeating it changes nothing. */
    revokeKey(keyId: string): Effect.Effect<void, KeyNotFound | EventStoreError>
    /** Adds a positive `amount`. `applied` is false for a known payment id. */
    topUp(options: {
      readonly accountId: AccountId
      readonly amount: NanoUsd
      readonly reference: string
      readonly paymentId: string
    }): Effect.Effect<
      { readonly applied: boolean },
      AccountNotFound | AccountClosed | PaymentIdReused | EventStoreError
    >
    /** The current limits. */
    limits(accountId: AccountId): Effect.Effect<Limits, AccountNotFound | EventStoreError>
    /** Sets limits and returns all of them. Absent ones stay. */
    changeLimits(options: {
      readonly accountId: AccountId
      readonly limits: Partial<Limits>
    }): Effect.Effect<Limits, AccountNotFound | AccountClosed | EventStoreError>
  }
>()("inferlog/src/features/accounts/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const actors = yield* AccountActors
      /** Reads the limits first, so that concurrent changes do not undo each other. */
      const limitsLock = yield* Semaphore.make(1)

      const open = Effect.fn("Accounts.open")(function* ({
        name,
        key,
        balance
      }: Parameters<Accounts["Service"]["open"]>[0]) {
        const accountId = KeyCommands.accountOf(key.keyId)
        const at = yield* Clock.currentTimeMillis
        const { events } = yield* actors
          .execute(accountId, {
            _tag: "Open",
            at,
            accountId,
            name,
            key: KeyCommands.hashed(key, "first key"),
            balance
          })
          .pipe(Rejections.none)
        return { accountId, opened: events.length > 0 }
      })

      const issueKey = Effect.fn("Accounts.issueKey")(function* (
        options: Parameters<Accounts["Service"]["issueKey"]>[0]
      ) {
        const { key } = yield* KeyCommands.issue(actors, {
          grant: Grant.unlimited,
          ...options,
          issuer: null
        }).pipe(Rejections.expect({ ...gone, TooManyKeys: () => new TooManyKeys({ limit: Key.maxValid }) }))
        return key
      })

      const rotateKey = Effect.fn("Accounts.rotateKey")(function* (
        options: Parameters<Accounts["Service"]["rotateKey"]>[0]
      ) {
        const { account, key, known } = yield* KeyCommands.rotate(actors, { ...options, issuer: null }).pipe(
          Rejections.expect({
            ...noKey,
            // The key was revoked with its account.
            AccountClosed: () => new KeyRevoked(),
            KeyRevoked: () => new KeyRevoked(),
            KeyExpired: () => new KeyExpired()
          })
        )
        return { accountId: account.accountId, key, previousExpiresAt: known.previous?.expiresAt ?? null }
      })

      const revokeKey = Effect.fn("Accounts.revokeKey")((keyId: string) =>
        KeyCommands.revoke(actors, keyId).pipe(Rejections.expect(noKey))
      )

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
        rotateKey,
        revokeKey,
        topUp,
        limits,
        changeLimits: (options) => limitsLock.withPermit(Effect.uninterruptible(changeLimits(options)))
      })
    })
  )
}
