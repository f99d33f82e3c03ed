/** What the routes of one key are called with. */
import type { Caller } from "#src/features/accounts/Caller.ts"

export interface KeyCall {
  readonly caller: Caller
  readonly params: { readonly keyId: string }
}
