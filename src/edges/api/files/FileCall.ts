/** What the routes of one file are called with. */
import type { Caller } from "#src/features/accounts/Caller.ts"

export interface FileCall {
  readonly caller: Caller
  readonly params: { readonly fileId: string }
}
