/** Who makes a request: the account behind an API key. */
import type { AccountId, KeyId } from "#domain/Ids.ts"

export interface Caller {
  readonly accountId: AccountId
  readonly keyId: KeyId
}
