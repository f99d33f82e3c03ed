/** What lists of keys, of workers' keys and of accounts show. */
import { Schema } from "effect"
import { Grant } from "#domain/account/Grant.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd } from "#domain/Money.ts"

/** Times are Unix time in ms. */
export const KeyItem = Schema.Struct({
  keyId: KeyId,
  name: Schema.String,
  ...Grant.fields,
  issuedAt: Schema.Int,
  rotatedAt: Schema.NullOr(Schema.Int),
  revokedAt: Schema.NullOr(Schema.Int),
  /** The minute in which the key last submitted a request or announced a file. */
  lastUsedAt: Schema.NullOr(Schema.Int)
})
export type KeyItem = typeof KeyItem.Type

export const ListedKey = Schema.Struct({
  ...KeyItem.fields,
  accountId: AccountId,
  accountName: Schema.String
})
export type ListedKey = typeof ListedKey.Type

/** The key of a worker. Times are Unix time in ms. */
export const ListedWorkerKey = Schema.Struct({
  keyId: KeyId,
  name: Schema.String,
  /** Models whose jobs it may take. `null`: every model. */
  modelEndpoints: Schema.NullOr(Schema.Array(ModelEndpoint)),
  issuedAt: Schema.Int,
  expiresAt: Schema.NullOr(Schema.Int),
  rotatedAt: Schema.NullOr(Schema.Int),
  revokedAt: Schema.NullOr(Schema.Int)
})
export type ListedWorkerKey = typeof ListedWorkerKey.Type

/** An account without its balance. Once `erasedAt` is set, nothing changes any more. */
export const AccountDetails = Schema.Struct({
  accountId: AccountId,
  name: Schema.String,
  openedAt: Schema.Int,
  erasedAt: Schema.NullOr(Schema.Int),
  /** Nano-USD. */
  creditLimit: NanoUsd,
  maxOpenRequests: Schema.NullOr(Schema.Int),
  /** Bytes. */
  maxStoredBytes: Schema.NullOr(Schema.Int)
})
export type AccountDetails = typeof AccountDetails.Type
