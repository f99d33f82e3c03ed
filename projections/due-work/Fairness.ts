/** Whose turn it is: what many accounts wait for in one order that favours none of them. */
import { Effect, Order } from "effect"

interface Due {
  readonly accountId: string
  /** Unix time in ms. */
  readonly dueAt: number
}

/**
 * Turn by turn: the first of each account, then the second of each, and so on. Accounts come in the order of their ids,
 * beginning after `after`; within an account what was due first comes first, in the order of `idOf` at the same time.
 */
export const roundRobin = <Item extends Due>(
  items: ReadonlyArray<Item>,
  after: string | null,
  idOf: (item: Item) => string
): ReadonlyArray<Item> => {
  const turns = new Map<string, number>()
  const byAge = Order.combine<Item>(
    Order.mapInput(Order.Number, ({ dueAt }) => dueAt),
    Order.mapInput(Order.String, idOf)
  )
  const placed = items.toSorted(byAge).map((item) => {
    const turn = turns.get(item.accountId) ?? 0
    turns.set(item.accountId, turn + 1)
    return { item, turn, later: after !== null && item.accountId <= after ? 1 : 0 }
  })
  return placed.sort(byTurn).map(({ item }) => item)
}

const byTurn = Order.combineAll<{ readonly item: Due; readonly turn: number; readonly later: number }>([
  Order.mapInput(Order.Number, ({ turn }) => turn),
  Order.mapInput(Order.Number, ({ later }) => later),
  Order.mapInput(Order.String, ({ item }) => item.accountId)
])

/**
 * Asks for the first of each account, and for more of each until there are enough, or no more; for twice as many each time,
 * so that it ends soon.
 */
export const fromEach = Effect.fnUntraced(function* <Item extends Due, E>(
  ask: (each: number) => Effect.Effect<ReadonlyArray<Item>, E>,
  { accounts, limit }: { readonly accounts: number; readonly limit: number }
) {
  if (accounts === 0) return []
  let each = Math.ceil(limit / accounts)
  let found = yield* ask(each)
  while (found.length < limit && each < limit && hasMore(found, each)) {
    each = Math.min(each * 2, limit)
    found = yield* ask(each)
  }
  return found
})

/** Whether an account gave as many as it was asked for. */
const hasMore = (found: ReadonlyArray<Due>, each: number): boolean => {
  const counts = new Map<string, number>()
  for (const { accountId } of found) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
  return [...counts.values()].some((count) => count >= each)
}
