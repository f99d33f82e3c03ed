/** The balance of one account by the events of the log: each is hashed again, booked, and compared with the read model. */
import type { AccountId } from "#domain/Ids.ts"
import { availableOf, type Entry, entriesOf, heldOf } from "#domain/Ledger.ts"
import { NanoUsd } from "#domain/Money.ts"
import type { LedgerEntry } from "#projections/ledger/Ledger.ts"
import * as MoneyEvents from "#projections/ledger/MoneyEvents.ts"
import * as EventChain from "#streams/EventChain.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as AuditFields from "../audit/AuditFields.ts"
import * as Books from "../audit/Books.ts"
import { AuditFailed, brokenBy } from "../audit/Invariant.ts"

/** Amounts are nano-USD. */
export interface Balance {
  readonly available: NanoUsd
  readonly held: NanoUsd
}

/** An event that moved money of the account, and the account's money after it. */
export interface ProvenEvent extends Balance {
  readonly event: RecordedEvent
  /** The events before it in its stream that no earlier event of the proof came with, oldest first. Its hash covers theirs. */
  readonly before: ReadonlyArray<RecordedEvent>
  readonly entries: ReadonlyArray<Entry>
}

/** A break at an event that has no line of its own in the proof. */
const failed = (position: string, reason: string) =>
  new AuditFailed({ position, invariant: "read model", reason })

/** The first event that does not follow on the one before it. */
const firstBroken = (previous: string, ordinal: number, events: ReadonlyArray<RecordedEvent>) => {
  let hash = previous
  return events.find((event, index) => {
    const isRight = event.ordinal === ordinal + index && EventChain.hash(hash, event) === event.hash
    hash = event.hash
    return !isRight
  })
}

interface Shown extends ProvenEvent {
  /** The account's balance, held money included, after each entry. */
  readonly balances: ReadonlyArray<bigint>
}

export interface ProvenBalance {
  /**
   * Proves the event of an entry in the read model, and compares the two. `stream`: the events of its stream from the first
   * one on. `null` for a further entry of the event before. Throws `AuditFailed`.
   */
  readonly pass: (row: LedgerEntry, stream: ReadonlyArray<RecordedEvent>) => ProvenEvent | null
  readonly balance: () => Balance
}

export const make = (accountId: AccountId): ProvenBalance => {
  const books = Books.make()
  /** The last event of the account's own stream that was shown. Requests need none: their streams have two such events. */
  let ofAccount = -1
  let shown: Shown | null = null

  const balance = (): Balance => ({
    available: NanoUsd.make(books.balance(availableOf(accountId))),
    held: NanoUsd.make(books.balance(heldOf(accountId)))
  })
  const total = () => books.balance(availableOf(accountId)) + books.balance(heldOf(accountId))

  const prove = (row: LedgerEntry, stream: ReadonlyArray<RecordedEvent>): Shown => {
    const event = stream.find(({ position }) => position === row.position)
    if (event === undefined) throw failed(row.position, "the log has no event of this account there")
    const upTo = stream.filter(({ position }) => GlobalPosition.isReached(position, event.position))
    const broken = firstBroken(EventChain.origin, 0, upTo)
    if (broken !== undefined) throw brokenBy(broken, "chain", "it is not what was written")
    const [first = event] = stream
    const opening = AuditFields.read(first, MoneyEvents.read)
    const hold =
      opening?._tag === "Held" ? { accountId: opening.accountId, amount: opening.amount } : undefined
    if (hold !== undefined && hold.accountId !== accountId) {
      throw brokenBy(event, "read model", "the read model has it as an event of another account")
    }
    const money = AuditFields.read(event, MoneyEvents.read)
    if (money === null) throw brokenBy(event, "read model", "it moves no money")
    const entries = entriesOf(money, hold)
    const balances: Array<bigint> = []
    for (const entry of entries) {
      const wrong = books.book([entry])
      if (wrong !== null) throw brokenBy(event, "balanced books", wrong)
      balances.push(total())
    }
    const isTopUp = money._tag === "ToppedUp"
    const last = isTopUp ? ofAccount : 0
    if (isTopUp) ofAccount = event.ordinal
    const before = upTo.filter(({ ordinal }) => ordinal > last && ordinal < event.ordinal)
    return { event, before, entries, balances, ...balance() }
  }

  return {
    balance,
    pass: (row, stream) => {
      const isNew = shown === null || shown.event.position !== row.position
      const current = isNew || shown === null ? prove(row, stream) : shown
      shown = current
      const entry = current.entries[row.ordinal]
      if (entry?.kind !== row.kind || entry.amount !== row.amount) {
        throw brokenBy(current.event, "read model", `its entry ${row.ordinal + 1} is not that of the log`)
      }
      const after = current.balances[row.ordinal]
      if (after !== row.balanceAfter) {
        const reason = `the balance after it is ${Books.usd(row.balanceAfter)}, by the log ${Books.usd(after ?? 0n)}`
        throw brokenBy(current.event, "read model", reason)
      }
      return isNew ? current : null
    }
  }
}
