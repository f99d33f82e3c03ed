/**
 * Events of one account. Names and fields are the storage format: add cases or optional fields, never rename. Tests decode a
 * fixture of every shape ever released.
 */
import { Schema } from "effect"
import * as EventCodec from "../EventCodec.ts"
import { AccountId, KeyId } from "../Ids.ts"
import { NanoUsd } from "../Money.ts"
import { Grant } from "./Grant.ts"
import { Limits } from "./Limits.ts"
import { SigningSecretRotated } from "./SigningSecret.ts"

/** Unix time in ms. */
const at = Schema.Int

/** Hex SHA-256 of a key's secret, which has 256 random bits. */
const secretHash = Schema.String

export const AccountOpened = Schema.TaggedStruct("AccountOpened", {
  at,
  accountId: AccountId,
  name: Schema.String
})

export const BalanceToppedUp = Schema.TaggedStruct("BalanceToppedUp", {
  at,
  amount: NanoUsd,
  /** The operator's reason for it. */
  reference: Schema.String,
  /** The id of the payment. Each payment is credited once. */
  paymentId: Schema.optionalKey(Schema.String)
})

/** Replaces all limits. */
export const LimitsChanged = Schema.TaggedStruct("LimitsChanged", {
  at,
  ...Limits.fields,
  /** Added by later releases. Absent means `null`. */
  maxStoredBytes: Schema.optionalKey(Limits.fields.maxStoredBytes),
  accountRate: Schema.optionalKey(Limits.fields.accountRate),
  keyRate: Schema.optionalKey(Limits.fields.keyRate),
  maxStreams: Schema.optionalKey(Limits.fields.maxStreams)
})

/** The event has only the fields of the grant that differ from `Grant.unlimited`. */
export const KeyIssued = Schema.TaggedStruct("KeyIssued", {
  at,
  keyId: KeyId,
  name: Schema.String,
  secretHash,
  scopes: Schema.optionalKey(Grant.fields.scopes),
  modelEndpoints: Schema.optionalKey(Grant.fields.modelEndpoints),
  monthlyBudget: Schema.optionalKey(Grant.fields.monthlyBudget),
  expiresAt: Schema.optionalKey(Grant.fields.expiresAt),
  origins: Schema.optionalKey(Grant.fields.origins)
})
export type KeyIssued = typeof KeyIssued.Type

/** Replaces the key's secret. The previous secret stays valid until `previousExpiresAt`; older ones end. */
export const KeyRotated = Schema.TaggedStruct("KeyRotated", {
  at,
  keyId: KeyId,
  secretHash,
  /** Unix time in ms. At or before `at` when the previous secret ends at once. */
  previousExpiresAt: Schema.Int
})
export type KeyRotated = typeof KeyRotated.Type

export const KeyRevoked = Schema.TaggedStruct("KeyRevoked", { at, keyId: KeyId })

/** Replaces the password at once. */
export const PasswordChanged = Schema.TaggedStruct("PasswordChanged", {
  at,
  /** A slow hash of the password, sealed. `null`: the account has no password any more. */
  sealed: Schema.NullOr(Schema.String)
})

/** The account and its keys are closed, and the data of its requests is to be erased. Its ledger stays. */
export const AccountErased = Schema.TaggedStruct("AccountErased", { at })

/** All requests of the account have ended, and their data is erased. */
export const AccountErasureFinished = Schema.TaggedStruct("AccountErasureFinished", { at })

export const codec = EventCodec.make([
  AccountOpened,
  BalanceToppedUp,
  KeyIssued,
  KeyRotated,
  KeyRevoked,
  LimitsChanged,
  SigningSecretRotated,
  PasswordChanged,
  AccountErased,
  AccountErasureFinished
])
export type Event = ReturnType<typeof codec.decode>
