/** Writes account events to the log with the domain's events. */
import { Effect } from "effect"
import { codec, type Event } from "#domain/account/Event.ts"
import type { AccountId } from "#domain/Ids.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import { usd } from "#test/support/TestAccounts.ts"
import { t0 } from "#test/support/projections/RequestLog.ts"

let written = 0

const append = Effect.fnUntraced(function* (accountId: AccountId, event: Event) {
  const store = yield* EventStore
  const { position } = yield* store.append({
    stream: StreamName.make("Account", accountId),
    expected: ExpectedVersion.Any,
    events: [{ id: `account-event-${written++}`, ...codec.encode(event) }]
  })
  return position
})

/** `amount` and `credit` in USD. */
export const topUp = (accountId: AccountId, amount: string, at = t0) =>
  append(accountId, { _tag: "BalanceToppedUp", at, amount: usd(amount), reference: "test" })

export const limit = (accountId: AccountId, credit: string, maxOpenRequests: number | null) =>
  append(accountId, { _tag: "LimitsChanged", at: t0, creditLimit: usd(credit), maxOpenRequests })
