/** Orders the due work of many accounts so that no account is favoured. */
import { Effect, Order } from "effect"

interface Due {
  readonly accountId: string
  /** Unix time in ms. */
  readonly dueAt: number
}

/**
 * Round robin: the first item of each account, then the second of each, and so on. Accounts come by id, starting after
 * `after`; within an account, the longest due comes first, and `idOf` breaks ties.
 */
export const roundRobin = <Item extends Due>(
  items: ReadonlyArray<Item>,
  after: string | null,
  idOf: (item: Item) => string
): ReadonlyArray<Item> => {
  const counts = new Map<string, number>()
  const byAge = Order.combine<Item>(
    Order.mapInput(Order.Number, ({ dueAt }) => dueAt),
    Order.mapInput(Order.String, idOf)
  )
  const ordered = items.toSorted(byAge).map((item) => {
    const round = counts.get(item.accountId) ?? 0
    counts.set(item.accountId, round + 1)
    return { item, round, wraps: after !== null && item.accountId <= after ? 1 : 0 }
  })
  return ordered.sort(byRound).map(({ item }) => item)
}

const byRound = Order.combineAll<{ readonly item: Due; readonly round: number; readonly wraps: number }>([
  Order.mapInput(Order.Number, ({ round }) => round),
  Order.mapInput(Order.Number, ({ wraps }) => wraps),
  Order.mapInput(Order.String, ({ item }) => item.accountId)
])

/** Queries the first items of each account, and doubles the number per account until there are `limit` items or no more. */
export const fromEach = Effect.fnUntraced(function* <Item extends Due, E>(
  query: (each: number) => Effect.Effect<ReadonlyArray<Item>, E>,
  { accounts, limit }: { readonly accounts: number; readonly limit: number }
) {
  if (accounts === 0) return []
  let each = Math.ceil(limit / accounts)
  let found = yield* query(each)
  while (found.length < limit && each < limit && hasMore(found, each)) {
    each = Math.min(each * 2, limit)
    found = yield* query(each)
  }
  return found
})

/** Whether an account reached the requested number, so that it may have more. */
const hasMore = (found: ReadonlyArray<Due>, each: number): boolean => {
  const counts = new Map<string, number>()
  for (const { accountId } of found) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
  return [...counts.values()].some((count) => count >= each)
}
