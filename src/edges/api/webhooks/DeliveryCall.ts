/** What the routes of one delivery are called with. */
import type { Caller } from "#src/features/accounts/Caller.ts"

export interface DeliveryCall {
  readonly caller: Caller
  readonly params: { readonly deliveryId: string }
}
