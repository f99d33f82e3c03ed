/** The balances of all accounts from the log, computed without the ledger's code. */
import { Effect, Stream } from "effect"
import type { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"

interface Standing {
  readonly available: bigint
  readonly held: bigint
  /** The lowest available amount. */
  readonly least: bigint
  readonly open: number
}

export interface OwnBooks {
  readonly of: (accountId: string) => Standing
  readonly accounts: () => ReadonlyArray<string>
  /** Streams of requests that have not ended. */
  readonly open: () => ReadonlyArray<string>
  /** The sum of all charges. */
  readonly revenue: () => bigint
}

const nobody: Standing = { available: 0n, held: 0n, least: 0n, open: 0 }

const amountOf = (data: unknown, ...path: ReadonlyArray<string>): bigint => {
  let at = data
  for (const key of path) at = at instanceof Object && key in at ? Reflect.get(at, key) : undefined
  return typeof at === "string" ? BigInt(at) : 0n
}

/** Each run reads to the end of the log. */
export const make = (reader: EventReader["Service"]): Effect.Effect<OwnBooks> => {
  const standings = new Map<string, Standing>()
  const holds = new Map<string, { readonly accountId: string; readonly amount: bigint }>()
  let revenue = 0n
  let position = GlobalPosition.beginning

  const of = (accountId: string) => standings.get(accountId) ?? nobody
  const change = (accountId: string, available: bigint, held: bigint, open: number) => {
    const before = of(accountId)
    const left = before.available + available
    standings.set(accountId, {
      available: left,
      held: before.held + held,
      least: left < before.least ? left : before.least,
      open: before.open + open
    })
  }

  const end = ({ stream }: RecordedEvent, charged: bigint) => {
    const hold = holds.get(stream)
    if (hold === undefined) throw new Error(`${stream} ended with nothing held`)
    holds.delete(stream)
    revenue += charged
    change(hold.accountId, hold.amount - charged, -hold.amount, -1)
  }

  const passAll = (events: ReadonlyArray<RecordedEvent>) => Effect.sync(() => events.forEach(pass))

  const pass = (event: RecordedEvent) => {
    const { data, stream, type } = event
    position = event.position
    if (type === "BalanceToppedUp") change(stream.slice("Account-".length), amountOf(data, "amount"), 0n, 0)
    if (type === "RequestSubmitted") {
      const amount = amountOf(data, "quote", "hold")
      const accountId = String(data["accountId"])
      holds.set(stream, { accountId, amount })
      change(accountId, -amount, amount, 1)
    }
    if (type === "RequestCompleted") end(event, amountOf(data, "billing", "amount"))
    if (type === "RequestFailed" || type === "RequestForceFailed" || type === "RequestCancelled")
      end(event, 0n)
  }
  const books: OwnBooks = {
    of,
    accounts: () => [...standings.keys()],
    open: () => [...holds.keys()],
    revenue: () => revenue
  }
  return Effect.suspend(() => Stream.runForEachArray(reader.readAll(position), passAll)).pipe(
    Effect.as(books),
    Effect.orDie
  )
}
