/** Initial events for the scenarios of accounts, and an account's end. */
import type { Event } from "#domain/account/Event.ts"
import { AccountId } from "#domain/Ids.ts"

export const opened: Event = {
  _tag: "AccountOpened",
  at: 1_000,
  accountId: AccountId.make("acc_0123456789abcdef"),
  name: "ACME"
}
export const erased: Event = { _tag: "AccountErased", at: 3_000 }
