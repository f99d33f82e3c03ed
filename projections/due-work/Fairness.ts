/** Whose turn it is: requests of many accounts in one order that favours none of them. */
import { Order } from "effect"

interface Due {
  readonly requestId: string
  readonly accountId: string
  /** Unix time in ms. */
  readonly dueAt: number
}

/**
 * Turn by turn: the first of each account, then the second of each, and so on. Accounts come in the order of their ids,
 * beginning after `after`; within an account what was due first comes first.
 */
export const roundRobin = <Request extends Due>(
  requests: ReadonlyArray<Request>,
  after: string | null
): ReadonlyArray<Request> => {
  const turns = new Map<string, number>()
  const placed = requests.toSorted(byAge).map((request) => {
    const turn = turns.get(request.accountId) ?? 0
    turns.set(request.accountId, turn + 1)
    return { request, turn, later: after !== null && request.accountId <= after ? 1 : 0 }
  })
  return placed.sort(byTurn).map(({ request }) => request)
}

const byAge = Order.combine<Due>(
  Order.mapInput(Order.Number, ({ dueAt }) => dueAt),
  Order.mapInput(Order.String, ({ requestId }) => requestId)
)

const byTurn = Order.combineAll<{ readonly request: Due; readonly turn: number; readonly later: number }>([
  Order.mapInput(Order.Number, ({ turn }) => turn),
  Order.mapInput(Order.Number, ({ later }) => later),
  Order.mapInput(Order.String, ({ request }) => request.accountId)
])
