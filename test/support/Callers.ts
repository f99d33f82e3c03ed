/** Callers for tests that do not authenticate with keys. */
import * as Grant from "#domain/account/Grant.ts"
import { noLimits } from "#domain/account/Limits.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"

/** A caller with an unrestricted key, used with its current secret, of an account without limits. */
export const of = (accountId: AccountId, keyId: KeyId): Caller => ({
  accountId,
  keyId,
  grant: Grant.unlimited,
  limits: noLimits,
  isSuperseded: false,
  token: null
})
