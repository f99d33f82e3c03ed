/** What can be asked of an account. Time, ids and secrets come in with the command, secrets as hashes or sealed. */
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
  /** Opens the account with its first key and balance, at once. Repeated it changes nothing. */
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
      /** The key that issues it; `null`: the operator, who may everything. */
      readonly issuer: KeyId | null
    }
  /** Puts another secret in force at once; the one until now stays good for a while. */
  | {
      readonly _tag: "RotateKey"
      readonly at: number
      readonly keyId: KeyId
      readonly secretHash: string
      /** How long the secret until now stays good, ms; 0: not at all. */
      readonly graceMs: number
      /** The key that rotates it, itself perhaps; `null`: the operator. */
      readonly issuer: KeyId | null
    }
  /** At once and for good. Repeated it changes nothing. */
  | { readonly _tag: "RevokeKey"; readonly at: number; readonly keyId: KeyId }
  /** Pays in `amount`, which is positive. Repeated under the same payment id it changes nothing. */
  | {
      readonly _tag: "TopUp"
      readonly at: number
      readonly amount: NanoUsd
      readonly reference: string
      readonly paymentId: string | null
    }
  | { readonly _tag: "ChangeLimits"; readonly at: number; readonly limits: Limits }
  /** Gives a secret to an account that has none. One that is closed gets it too: its last webhooks are signed. */
  | { readonly _tag: "EnsureSigningSecret"; readonly at: number; readonly sealed: string }
  /** Puts a new secret in force at once. */
  | {
      readonly _tag: "RotateSigningSecret"
      readonly at: number
      readonly sealed: string
      /** Sealed texts of secrets that nobody can sign with: they are the first to go where there are too many. */
      readonly useless: ReadonlyArray<string>
      /** How long the secrets before stay valid at most. */
      readonly graceMs: number
    }
  /** In the place of the one before; `null`: it has none any more, and if it had none nothing changes. */
  | { readonly _tag: "ChangePassword"; readonly at: number; readonly sealed: string | null }
  /** Closes the account for good. Repeated it changes nothing. */
  | { readonly _tag: "Erase"; readonly at: number }
  | { readonly _tag: "RecordErased"; readonly at: number }

/** Why a command was refused. */
export type Rejection =
  | { readonly _tag: "AccountNotFound" }
  /** The account was erased. */
  | { readonly _tag: "AccountClosed" }
  | { readonly _tag: "KeyNotFound" }
  | { readonly _tag: "KeyExists" }
  | { readonly _tag: "KeyRevoked" }
  | { readonly _tag: "KeyExpired" }
  /** The key that issues or rotates is none any more. */
  | { readonly _tag: "IssuerNotValid" }
  /** It would give more than the key has that issues or rotates it. */
  | { readonly _tag: "GrantExceeded"; readonly fields: ReadonlyArray<keyof Grant> }
  /** As many keys as an account may have are valid. */
  | { readonly _tag: "TooManyKeys" }
  /** The account had as many keys as its own keys may give it. */
  | { readonly _tag: "KeysUsedUp" }
  /** Another amount was paid in under this payment id. */
  | { readonly _tag: "PaymentIdReused" }
