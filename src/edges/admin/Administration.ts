/** What an operator sees and changes: one service, whether a server runs (its admin socket) or not (the log itself). */
import { Context, type Effect, Schema } from "effect"
import { Grant } from "#domain/account/Grant.ts"
import * as Key from "#domain/account/Key.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { NanoUsd } from "#domain/Money.ts"
import type { ListedKey } from "#projections/keys/Keys.ts"
import type { CopyRefused } from "#projections/rebuild/RebuildError.ts"
import type { ProjectionStatuses } from "#projections/status/ProjectionStatus.ts"
import type { AccountClosed, AccountNotFound } from "#src/features/accounts/Accounts.ts"
import type { KeyExpired, KeyNotFound, KeyRevoked, TooManyKeys } from "#src/features/accounts/KeyErrors.ts"
import { isName } from "#src/features/accounts/Name.ts"
import type { CatalogOperations } from "./catalog/CatalogOperations.ts"
import type { AccountOperations } from "./accounts/AccountOperations.ts"
import type { ErasingOperations } from "./accounts/ErasingOperations.ts"
import type { RequestOperations } from "./requests/RequestOperations.ts"
import type { WorkerKeyOperations } from "./WorkerKeyOperations.ts"

const Name = Schema.String.check(Schema.makeFilter(isName, { expected: "a name of 1 to 100 characters" }))

/** From 0 to 1,000,000,000 USD. */
export const isOpeningBalance = (amount: NanoUsd): boolean => amount >= 0n && amount <= 10n ** 18n

const Balance = NanoUsd.check(
  Schema.makeFilter(isOpeningBalance, { expected: "an amount from 0 to 1000000000 USD" })
)

export const OpenAccount = Schema.Struct({ name: Name, balance: Balance })
/** A key that is given no grant may everything. */
export const IssueKey = Schema.Struct({
  accountId: AccountId,
  name: Name,
  grant: Schema.optionalKey(Grant)
})
/** `graceMs`: how long the secret until now stays good. */
export const RotateKey = Schema.Struct({
  keyId: KeyId,
  graceMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Key.longestGraceMs }))
})
export const RevokeKey = Schema.Struct({ keyId: KeyId })
export const ListKeys = Schema.Struct({
  accountId: Schema.optionalKey(AccountId),
  /** The last key of the page before; `null` for the first page. */
  after: Schema.NullOr(KeyId)
})

/** `key` is `<keyId>:<secret>` and is not to be had again. */
export const IssuedKey = Schema.Struct({
  accountId: AccountId,
  keyId: KeyId,
  key: Schema.RedactedFromValue(Schema.String)
})
export type IssuedKey = typeof IssuedKey.Type

export const RotatedKey = Schema.Struct({
  ...IssuedKey.fields,
  /** Unix time in ms; `null` when the secret until now is good no more. */
  previousExpiresAt: Schema.NullOr(Schema.Int)
})
export type RotatedKey = typeof RotatedKey.Type

/** The log or a read model failed, or the server could not be spoken to. */
export class AdministrationFailed extends Schema.TaggedError<AdministrationFailed>()("AdministrationFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

export class Administration extends Context.Service<
  Administration,
  AccountOperations &
    ErasingOperations &
    RequestOperations &
    CatalogOperations &
    WorkerKeyOperations & {
      /** Opens an account with a fresh first key. */
      openAccount(options: typeof OpenAccount.Type): Effect.Effect<IssuedKey, AdministrationFailed>
      issueKey(
        options: typeof IssueKey.Type
      ): Effect.Effect<IssuedKey, AccountNotFound | AccountClosed | TooManyKeys | AdministrationFailed>
      /** Another secret, in force at once, on a running server too. */
      rotateKey(
        options: typeof RotateKey.Type
      ): Effect.Effect<RotatedKey, KeyNotFound | KeyRevoked | KeyExpired | AdministrationFailed>
      /** In force at once, on a running server too. */
      revokeKey(options: typeof RevokeKey.Type): Effect.Effect<void, KeyNotFound | AdministrationFailed>
      /** A page of at most 1,000 in the order of their ids, revoked ones too; everything that is on the log by now. */
      listKeys(options: typeof ListKeys.Type): Effect.Effect<ReadonlyArray<ListedKey>, AdministrationFailed>
      /** How far each projection is. */
      readonly listProjections: Effect.Effect<ProjectionStatuses, AdministrationFailed>
      /** Lets the finished copy in the data directory take over from the read models in use (`Projections.adopt`). */
      readonly adoptProjections: Effect.Effect<void, CopyRefused | AdministrationFailed>
    }
>()("inferlog/src/edges/admin/Administration") {}
