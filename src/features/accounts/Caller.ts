/** Who makes a request: the account behind an API key or one of its tokens, with the rights of both. */
import type { Grant } from "#domain/account/Grant.ts"
import type { Limits } from "#domain/account/Limits.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import type { CallerToken } from "./tokens/TokenUse.ts"

export interface Caller {
  readonly accountId: AccountId
  readonly keyId: KeyId
  /** Of the key, or of the token. */
  readonly grant: Grant
  /** Of the account. */
  readonly limits: Limits
  /** Whether the call used the previous secret, which cannot change keys. */
  readonly isSuperseded: boolean
  /** `null` when the call has the key itself. */
  readonly token: CallerToken | null
}
