/** Callers of tests that go past the keys. */
import * as Grant from "#domain/account/Grant.ts"
import { noLimits } from "#domain/account/Limits.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"

/** With a key that may do everything and its secret in force, of an account without limits. */
export const of = (accountId: AccountId, keyId: KeyId): Caller => ({
  accountId,
  keyId,
  grant: Grant.unlimited,
  limits: noLimits,
  isSuperseded: false
})
