/** The books of an audit: the balance of each ledger account by its entries. */
import { format, NanoUsd } from "#domain/Money.ts"
import { type Entry, type LedgerAccount, postingsOf } from "#domain/Ledger.ts"

export interface Books {
  /** Books the entries, or returns their fault and books none. */
  readonly book: (entries: ReadonlyArray<Entry>) => string | null
  /** nano-USD; negative if more was taken out than put in. */
  readonly balance: (account: LedgerAccount) => bigint
  /** The sum of all accounts: zero in correct books. */
  readonly sum: () => bigint
  readonly entries: () => number
}

/** Earlier books: their balances, and the number of their entries. */
export interface Opening {
  readonly balances: ReadonlyMap<LedgerAccount, bigint>
  readonly entries: number
}

export const make = (opening?: Opening): Books => {
  const balances = new Map<LedgerAccount, bigint>(opening?.balances)
  let entries = opening?.entries ?? 0

  const balance = (account: LedgerAccount): bigint => balances.get(account) ?? 0n

  const bookOne = (entry: Entry): string | null => {
    const postings = postingsOf(entry)
    let sum = 0n
    for (const { amount } of postings) sum += amount
    if (sum !== 0n) return `the postings of its ${entry.kind} sum to ${sum}`
    if (entry.amount <= 0n) return `the amount of its ${entry.kind} is ${entry.amount}`
    for (const { account, amount } of postings) balances.set(account, balance(account) + amount)
    entries++
    return null
  }

  return {
    balance,
    book: (booked) => {
      for (const entry of booked) {
        const wrong = bookOne(entry)
        if (wrong !== null) return wrong
      }
      return null
    },
    sum: () => {
      let sum = 0n
      for (const amount of balances.values()) sum += amount
      return sum
    },
    entries: () => entries
  }
}

/** nano-USD as people read them. */
export const usd = (amount: bigint): string => `$${format(NanoUsd.make(amount))}`
