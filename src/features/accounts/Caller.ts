/** Who makes a request: the account behind an API key, and what both may do. */
import type { Grant } from "#domain/account/Grant.ts"
import type { Limits } from "#domain/account/Limits.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"

export interface Caller {
  readonly accountId: AccountId
  readonly keyId: KeyId
  /** Of the key. */
  readonly grant: Grant
  /** Of the account. */
  readonly limits: Limits
  /** Whether it came with the secret before the one in force, which is good for a while: it changes no keys. */
  readonly isSuperseded: boolean
}
