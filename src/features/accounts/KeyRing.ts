/** What an account's keys may do with the account's keys (decisions, "Platform routes"), on every transport. */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Grant } from "#domain/account/Grant.ts"
import * as Key from "#domain/account/Key.ts"
import { keyOf } from "#domain/account/State.ts"
import type * as Page from "#projections/Page.ts"
import type { PageKey } from "#projections/keys/KeyQueries.ts"
import { Keys } from "#projections/keys/Keys.ts"
import { type KeyItem } from "#projections/keys/KeyViews.ts"
import { Projections } from "#projections/Projections.ts"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { AccountActors } from "./AccountActors.ts"
import { AccountClosed } from "./AccountErrors.ts"
import type * as ApiKey from "./ApiKey.ts"
import { Unauthorized } from "./Authentication.ts"
import type { Caller } from "./Caller.ts"
import * as KeyCommands from "./KeyCommands.ts"
import {
  GrantExceeded,
  KeyExpired,
  KeyForbidden,
  KeyNotFound,
  KeyRevoked,
  KeysUsedUp,
  SecretSuperseded,
  TooManyKeys
} from "./KeyErrors.ts"
import { KeyUse } from "./KeyUse.ts"
import * as Rejections from "./Rejections.ts"

/** One key, by the id that a client gave. */
export interface Named {
  readonly caller: Caller
  readonly id: string
}

/** A key with its secret, which cannot be read again. */
export interface Opened {
  readonly item: KeyItem
  readonly key: ApiKey.ApiKey
}

export class KeyRing extends Context.Service<
  KeyRing,
  {
    /** A page of the account's keys, newest first, with revoked ones. Shows the log as of the call; fails after 2 s. */
    list(
      options: Page.PageRequest<PageKey> & { readonly caller: Caller }
    ): Effect.Effect<Page.PageWithTotal<KeyItem, PageKey>, ReadModelBehind | EventStoreError | SqlError>
    /** As of the log. */
    get(options: Named): Effect.Effect<KeyItem, KeyNotFound | KeyForbidden | EventStoreError | SqlError>
    /** Absent parts of the grant are those of the caller's key, which the grant must not exceed. */
    issue(options: {
      readonly caller: Caller
      readonly name: string
      readonly grant: Partial<Grant>
    }): Effect.Effect<
      Opened,
      | Unauthorized
      | SecretSuperseded
      | AccountClosed
      | GrantExceeded
      | TooManyKeys
      | KeysUsedUp
      | EventStoreError
    >
    /** Replaces the secret at once. The current one stays valid for `graceMs`; the one before it does not. */
    rotate(options: Named & { readonly graceMs: number }): Effect.Effect<
      Opened & {
        /** Unix time in ms; `null` if the previous secret is invalid. */
        readonly previousExpiresAt: number | null
      },
      | KeyNotFound
      | KeyForbidden
      | KeyRevoked
      | KeyExpired
      | Unauthorized
      | SecretSuperseded
      | AccountClosed
      | GrantExceeded
      | EventStoreError
      | SqlError
    >
    /** Revokes a key of the account at once and for good, also the caller's own. Repeating it changes nothing. */
    revoke(
      options: Named
    ): Effect.Effect<void, KeyNotFound | KeyForbidden | SecretSuperseded | EventStoreError>
  }
>()("inferlog/src/features/accounts/KeyRing") {
  static readonly layer = Layer.effect(
    KeyRing,
    Effect.gen(function* () {
      const actors = yield* AccountActors
      const keys = yield* Keys
      const { withUse } = yield* KeyUse
      const projections = yield* Projections

      /** As of the log, because another node may have changed it. */
      const find = Effect.fnUntraced(function* ({ caller, id }: Named) {
        const accountId = KeyCommands.accountOf(id)
        const { state } = yield* actors.refresh(accountId)
        const key = keyOf(state, id)
        if (key === undefined) return yield* new KeyNotFound()
        return accountId === caller.accountId ? key : yield* new KeyForbidden()
      })

      const itemOf = (key: Key.Key, lastUsedAt: number | null): KeyItem =>
        withUse({
          keyId: key.keyId,
          name: key.name,
          ...key.grant,
          issuedAt: key.issuedAt,
          rotatedAt: key.rotatedAt,
          revokedAt: key.revokedAt,
          lastUsedAt
        })

      const list: KeyRing["Service"]["list"] = Effect.fn("KeyRing.list")(function* ({ caller, ...query }) {
        yield* projections.current("keys")
        const { items, next, total } = yield* keys.ofAccount({ ...query, accountId: caller.accountId })
        return { total, items: items.map(withUse), next }
      })

      const get: KeyRing["Service"]["get"] = Effect.fn("KeyRing.get")(function* (named) {
        const key = yield* find(named)
        const { accountId } = named.caller
        return itemOf(key, yield* keys.lastUsedAt({ accountId, keyId: key.keyId }))
      })

      const issue: KeyRing["Service"]["issue"] = Effect.fn("KeyRing.issue")(function* (options) {
        const { caller, grant, name } = options
        yield* inForce(caller)
        const { accountId, keyId: issuer } = caller
        const whole = { ...caller.grant, ...grant }
        const { key, known } = yield* KeyCommands.issue(actors, {
          accountId,
          name,
          grant: whole,
          issuer
        }).pipe(
          Rejections.expect({
            ...refusals,
            TooManyKeys: () => new TooManyKeys({ limit: Key.maxValid }),
            KeysUsedUp: () => new KeysUsedUp({ limit: Key.maxEver })
          })
        )
        return { key, item: itemOf(known, null) }
      })

      const rotate: KeyRing["Service"]["rotate"] = Effect.fn("KeyRing.rotate")(function* (options) {
        const { caller, graceMs } = options
        yield* inForce(caller)
        const { keyId } = yield* find(options)
        // Checked first: once a new secret exists, it must be shown.
        const lastUsedAt = yield* keys.lastUsedAt({ accountId: caller.accountId, keyId })
        const { key, known } = yield* KeyCommands.rotate(actors, {
          keyId,
          graceMs,
          issuer: caller.keyId
        }).pipe(
          Rejections.expect({
            ...refusals,
            KeyRevoked: () => new KeyRevoked(),
            KeyExpired: () => new KeyExpired()
          })
        )
        const previousExpiresAt = known.previous?.expiresAt ?? null
        return { key, item: itemOf(known, lastUsedAt), previousExpiresAt }
      })

      const revoke: KeyRing["Service"]["revoke"] = Effect.fn("KeyRing.revoke")(function* (named) {
        yield* inForce(named.caller)
        const { keyId } = yield* find(named)
        yield* KeyCommands.revoke(actors, keyId).pipe(Rejections.none)
      })

      return KeyRing.of({ list, get, issue, rotate, revoke })
    })
  ).pipe(Layer.provide([Keys.layer, KeyUse.layer]))
}

/** A leaked secret may still be valid as the previous one: it must not create, keep or end keys. */
const inForce = ({ isSuperseded }: Caller): Effect.Effect<void, SecretSuperseded> =>
  isSuperseded ? Effect.fail(new SecretSuperseded()) : Effect.void

const refusals = {
  AccountClosed: () => new AccountClosed(),
  /** Revoked or expired since the caller was authenticated. */
  IssuerNotValid: () => new Unauthorized(),
  GrantExceeded: ({ fields }: { readonly fields: ReadonlyArray<keyof Grant> }) =>
    new GrantExceeded({ fields })
}
