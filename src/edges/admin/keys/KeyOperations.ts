/** The operations of opening accounts and of their keys: part of `Administration`. */
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Grant } from "#domain/account/Grant.ts"
import * as Key from "#domain/account/Key.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { NanoUsd } from "#domain/Money.ts"
import { ListedKey } from "#projections/keys/Keys.ts"
import { AccountClosed, AccountNotFound } from "#src/features/accounts/Accounts.ts"
import { KeyExpired, KeyNotFound, KeyRevoked, TooManyKeys } from "#src/features/accounts/KeyErrors.ts"
import { isName } from "#src/features/accounts/Name.ts"
import { AdministrationFailed } from "../AdministrationFailed.ts"

const Name = Schema.String.check(Schema.makeFilter(isName, { expected: "a name of 1 to 100 characters" }))

/** From 0 to 1,000,000,000 USD. */
export const isOpeningBalance = (amount: NanoUsd): boolean => amount >= 0n && amount <= 10n ** 18n

const Balance = NanoUsd.check(
  Schema.makeFilter(isOpeningBalance, { expected: "an amount from 0 to 1000000000 USD" })
)

const OpenAccount = Schema.Struct({ name: Name, balance: Balance })
/** A key without a grant may do everything. */
const IssueKey = Schema.Struct({
  accountId: AccountId,
  name: Name,
  grant: Schema.optionalKey(Grant)
})
/** `graceMs`: how long the previous secret stays valid. */
const RotateKey = Schema.Struct({
  keyId: KeyId,
  graceMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Key.longestGraceMs }))
})
const RevokeKey = Schema.Struct({ keyId: KeyId })
const ListKeys = Schema.Struct({
  accountId: Schema.optionalKey(AccountId),
  /** The last key of the page before; `null` for the first page. */
  after: Schema.NullOr(KeyId)
})

/** `key` is `<keyId>:<secret>` and is shown this once. */
const IssuedKey = Schema.Struct({
  accountId: AccountId,
  keyId: KeyId,
  key: Schema.RedactedFromValue(Schema.String)
})
export type IssuedKey = typeof IssuedKey.Type

const RotatedKey = Schema.Struct({
  ...IssuedKey.fields,
  /** Unix time in ms; `null` when the previous secret is not valid any more. */
  previousExpiresAt: Schema.NullOr(Schema.Int)
})

export const keyOperations = RpcGroup.make(
  /** Opens an account with a first key. */
  Rpc.make("openAccount", { payload: OpenAccount, success: IssuedKey, error: AdministrationFailed }),
  Rpc.make("issueKey", {
    payload: IssueKey,
    success: IssuedKey,
    error: Schema.Union([AccountNotFound, AccountClosed, TooManyKeys, AdministrationFailed])
  }),
  /** Gives a key another secret, in force at once, on a running server too. */
  Rpc.make("rotateKey", {
    payload: RotateKey,
    success: RotatedKey,
    error: Schema.Union([KeyNotFound, KeyRevoked, KeyExpired, AdministrationFailed])
  }),
  /** In force at once, on a running server too. */
  Rpc.make("revokeKey", { payload: RevokeKey, error: Schema.Union([KeyNotFound, AdministrationFailed]) }),
  /** A page of at most 1,000 keys in the order of their ids, revoked keys included, as of now. */
  Rpc.make("listKeys", { payload: ListKeys, success: Schema.Array(ListedKey), error: AdministrationFailed })
)
