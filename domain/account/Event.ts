/**
 * Events of one account. Their names and fields are the storage format: add cases or optional fields, never rename. Every
 * shape ever released has a fixture that is decoded in the tests.
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
  /** Why, in the operator's words. */
  reference: Schema.String,
  /** Of the payment: there is one top-up of each. */
  paymentId: Schema.optionalKey(Schema.String)
})

/** They hold from now on, all of them. */
export const LimitsChanged = Schema.TaggedStruct("LimitsChanged", {
  at,
  ...Limits.fields,
  /** These are younger than the others: `null` where they are absent. */
  maxStoredBytes: Schema.optionalKey(Limits.fields.maxStoredBytes),
  accountRate: Schema.optionalKey(Limits.fields.accountRate),
  keyRate: Schema.optionalKey(Limits.fields.keyRate),
  maxStreams: Schema.optionalKey(Limits.fields.maxStreams)
})

/** Of what the key is granted the event has what is less than everything (`Grant.unlimited`). */
export const KeyIssued = Schema.TaggedStruct("KeyIssued", {
  at,
  keyId: KeyId,
  name: Schema.String,
  secretHash,
  scopes: Schema.optionalKey(Grant.fields.scopes),
  modelEndpoints: Schema.optionalKey(Grant.fields.modelEndpoints),
  monthlyBudget: Schema.optionalKey(Grant.fields.monthlyBudget),
  expiresAt: Schema.optionalKey(Grant.fields.expiresAt)
})
export type KeyIssued = typeof KeyIssued.Type

/** The key has another secret from now on. The one until now is good until `previousExpiresAt`, any before it no more. */
export const KeyRotated = Schema.TaggedStruct("KeyRotated", {
  at,
  keyId: KeyId,
  secretHash,
  /** Unix time in ms; not after `at` when it is good no more. */
  previousExpiresAt: Schema.Int
})
export type KeyRotated = typeof KeyRotated.Type

export const KeyRevoked = Schema.TaggedStruct("KeyRevoked", { at, keyId: KeyId })

/** In force at once. */
export const PasswordChanged = Schema.TaggedStruct("PasswordChanged", {
  at,
  /** A slow hash of it, sealed; `null`: the account has none any more. */
  sealed: Schema.NullOr(Schema.String)
})

/** The account is closed, its keys with it; what its requests carried is to be erased. Its ledger stays. */
export const AccountErased = Schema.TaggedStruct("AccountErased", { at })

/** All its requests have ended, and nothing of what they carried is left. */
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
