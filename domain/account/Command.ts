/** Commands to an account. Time, ids and secrets are fields of the command, secrets as hashes or sealed. */
import type { AccountId, KeyId } from "../Ids.ts"
import type { NanoUsd } from "../Money.ts"
import type { Grant } from "./Grant.ts"
import type { Limits } from "./Limits.ts"

export interface NewKey {
  readonly keyId: KeyId
  readonly name: string
  /** Hex SHA-256 of the secret. */
  readonly secretHash: string
}

export type Command =
  /** Opens the account with its first key and balance. Repeating it changes nothing. */
  | {
      readonly _tag: "Open"
      readonly at: number
      readonly accountId: AccountId
      readonly name: string
      readonly key: NewKey
      readonly balance: NanoUsd
    }
  | {
      readonly _tag: "IssueKey"
      readonly at: number
      readonly key: NewKey
      readonly grant: Grant
      /** The key that issues it. `null`: the operator, who may issue any grant. */
      readonly issuer: KeyId | null
    }
  /** Replaces the secret at once. The previous secret stays valid for `graceMs`. */
  | {
      readonly _tag: "RotateKey"
      readonly at: number
      readonly keyId: KeyId
      readonly secretHash: string
      /** How long the previous secret stays valid, ms. 0: it ends at once. */
      readonly graceMs: number
      /** The key that rotates it, which may be the key itself. `null`: the operator. */
      readonly issuer: KeyId | null
    }
  /** Ends the key at once and permanently. Repeating it changes nothing. */
  | { readonly _tag: "RevokeKey"; readonly at: number; readonly keyId: KeyId }
  /** Pays in `amount`, which is positive. Repeating it with the same payment id changes nothing. */
  | {
      readonly _tag: "TopUp"
      readonly at: number
      readonly amount: NanoUsd
      readonly reference: string
      readonly paymentId: string | null
    }
  | { readonly _tag: "ChangeLimits"; readonly at: number; readonly limits: Limits }
  /** Adds a secret if the account has none. A closed account gets one too, because its last webhooks are signed. */
  | { readonly _tag: "EnsureSigningSecret"; readonly at: number; readonly sealed: string }
  /** Signs with a new secret from now on. */
  | {
      readonly _tag: "RotateSigningSecret"
      readonly at: number
      readonly sealed: string
      /** Sealed texts of secrets that cannot be opened. They are dropped first when there are too many. */
      readonly useless: ReadonlyArray<string>
      /** How long previous secrets stay valid at most, ms. */
      readonly graceMs: number
    }
  /** Replaces the password. `null` removes it. */
  | { readonly _tag: "ChangePassword"; readonly at: number; readonly sealed: string | null }
  /** Closes the account permanently. Repeating it changes nothing. */
  | { readonly _tag: "Erase"; readonly at: number }
  | { readonly _tag: "RecordErased"; readonly at: number }

/**  */
export type Rejection =
  | { readonly _tag: "AccountNotFound" }
  /** The account was erased. */
  | { readonly _tag: "AccountClosed" }
  | { readonly _tag: "KeyNotFound" }
  | { readonly _tag: "KeyExists" }
  | { readonly _tag: "KeyRevoked" }
  | { readonly _tag: "KeyExpired" }
  /** The issuing key is no longer valid. */
  | { readonly _tag: "IssuerNotValid" }
  /** The grant exceeds the grant of the issuing key in these fields. */
  | { readonly _tag: "GrantExceeded"; readonly fields: ReadonlyArray<keyof Grant> }
  /** The account has the maximum number of valid keys. */
  | { readonly _tag: "TooManyKeys" }
  /** The account has had the maximum number of keys that its own keys may issue. */
  | { readonly _tag: "KeysUsedUp" }
  /** A different amount was paid in with this payment id. */
  | { readonly _tag: "PaymentIdReused" }
