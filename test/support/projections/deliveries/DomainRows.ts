/** The expected rows of the delivery tables, computed from the domain's states. */
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { Delivery } from "#domain/webhook-delivery/State.ts"

export interface Known {
  readonly deliveryId: DeliveryId
  readonly state: Delivery
}

const statusOf = ({ phase }: Delivery) => phase._tag.toLowerCase()
const originOf = ({ scheduled }: Delivery) => new URL(scheduled.url).origin
const dueAt = ({ phase }: Delivery) => (phase._tag === "Pending" ? phase.nextAttemptAt : null)

const delivery = ({ deliveryId, state }: Known) => ({
  delivery_id: deliveryId,
  account_id: state.scheduled.accountId,
  request_id: state.scheduled.requestId,
  event: state.scheduled.event,
  url: state.scheduled.url,
  origin: originOf(state),
  created_at: state.scheduled.at,
  status: statusOf(state),
  attempts: state.attempts,
  last_response_status: state.lastResponseStatus,
  last_error: state.lastError,
  next_attempt_at: dueAt(state),
  delivered_at: state.deliveredAt,
  updated_at: state.updatedAt,
  node: state.phase._tag === "Delivering" ? state.phase.node : null,
  is_erased: state.isErased ? 1 : 0
})

/** One row for each key, with the result of `value` for the states with that key. */
const grouped = <Key extends Record<string, string>, Value>(
  known: ReadonlyArray<Known>,
  keyOf: (state: Delivery) => Key,
  value: (states: ReadonlyArray<Delivery>) => Value
) =>
  [...Map.groupBy(known, ({ state }) => JSON.stringify(keyOf(state))).values()].flatMap((group) => {
    const states = group.map(({ state }) => state)
    const [first] = states
    return first === undefined ? [] : [{ ...keyOf(first), ...value(states) }]
  })

const counted = (states: ReadonlyArray<Delivery>) => ({ deliveries: states.length })
const next = (states: ReadonlyArray<Delivery>) => ({
  next_at: Math.min(...states.map((state) => dueAt(state) ?? Number.POSITIVE_INFINITY))
})

const sorted = (rows: ReadonlyArray<object>) =>
  rows
    .map((row) => JSON.stringify(row))
    .sort()
    .map((row): unknown => JSON.parse(row))

/** By table, in the order of `ReadSide.dump`. */
export const of = (known: ReadonlyArray<Known>): Record<string, ReadonlyArray<unknown>> => {
  const pending = known.filter(({ state }) => state.phase._tag === "Pending")
  const account = ({ scheduled }: Delivery) => ({ account_id: scheduled.accountId })
  const origin = (state: Delivery) => ({ origin: originOf(state) })
  const status = (state: Delivery) => ({ status: statusOf(state) })
  const tables = {
    deliveries_deliveries: known.map(delivery),
    deliveries_counters: grouped(
      known,
      (state) => ({ ...account(state), ...status(state), event: state.scheduled.event }),
      counted
    ),
    deliveries_totals: grouped(known, status, counted),
    deliveries_lanes: grouped(pending, (state) => ({ ...account(state), ...origin(state) }), next),
    deliveries_accounts: grouped(pending, account, next),
    deliveries_origins: grouped(pending, origin, next)
  }
  return Object.fromEntries(Object.entries(tables).map(([table, rows]) => [table, sorted(rows)]))
}
