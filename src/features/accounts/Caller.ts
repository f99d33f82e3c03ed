/** Who makes a request: the account behind an API key, with the rights of both. */
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
  /** Whether the call used the previous secret, which cannot change keys. */
  readonly isSuperseded: boolean
}
