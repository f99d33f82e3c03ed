/**
 * Checks the proof of a balance in the browser, event by event: the hash chain of each stream from its first event, the amounts
 * by the data that was hashed, and their sum.
 */
import * as Chain from "../chain/Chain.ts"
import { nanosOf } from "#console/design/data/Nanos.ts"

interface Link extends Omit<Chain.Link, "stream" | "type"> {
  readonly position: string
  /** Its type. */
  readonly event: string
}

/** A line of `GET /admin/v1/accounts/{accountId}/balance/proof`. Amounts are USD. */
export interface ProofEvent extends Link {
  readonly type: "event"
  readonly stream: string
  readonly before: ReadonlyArray<Link>
  readonly entries: ReadonlyArray<{
    readonly kind: string
    readonly debit: string
    readonly credit: string
    readonly amount: string
  }>
  readonly balance: string
  readonly available: string
  readonly held: string
}

const amountIn = (value: unknown, ...path: ReadonlyArray<string>): bigint => {
  let found: unknown = value
  for (const name of path) found = (found as Readonly<Record<string, unknown>> | undefined)?.[name]
  return BigInt(String(found))
}

interface Money {
  readonly available: bigint
  readonly held: bigint
}

/** How the event changes the money, by its data. `hold`: the request's. */
const changeOf = ({ event, text }: Pick<ProofEvent, "event" | "text">, hold: bigint): Money => {
  const data: unknown = JSON.parse(text)
  switch (event) {
    case "BalanceToppedUp":
      return { available: amountIn(data, "amount"), held: 0n }
    case "RequestSubmitted": {
      const amount = amountIn(data, "quote", "hold")
      return { available: -amount, held: amount }
    }
    case "RequestCompleted":
      return { available: hold - amountIn(data, "billing", "amount"), held: -hold }
    default:
      // It failed, was cancelled, or was ended by force.
      return { available: hold, held: -hold }
  }
}

export interface Checked {
  /** Events whose hashes were computed again. */
  readonly hashed: number
  /** What the browser found at odds with the server; `null`: nothing. */
  readonly problem: string | null
}

/** @param hashes whether hashes are checked, which not every page may. */
export const make = (hashes: boolean) => {
  // Of open requests and of the account: the memory does not grow with ended requests.
  const tails = new Map<string, Chain.Tail>()
  const holds = new Map<string, bigint>()
  let money: Money = { available: 0n, held: 0n }
  let hashed = 0

  const chainProblem = async ({ before, stream, ...event }: ProofEvent): Promise<string | null> => {
    let tail = tails.get(stream) ?? Chain.start
    for (const link of [...before, event]) {
      const next = await Chain.follow(tail, { ...link, stream, type: link.event })
      if (next === null) return `The hash of the event at position ${link.position} is not that of its data.`
      hashed++
      tail = next
    }
    tails.set(stream, tail)
    return null
  }

  return {
    pass: async (event: ProofEvent): Promise<Checked> => {
      let problem = hashes ? await chainProblem(event) : null
      const change = changeOf(event, holds.get(event.stream) ?? 0n)
      money = { available: money.available + change.available, held: money.held + change.held }
      if (event.event === "RequestSubmitted") holds.set(event.stream, change.held)
      else if (event.event !== "BalanceToppedUp") {
        holds.delete(event.stream)
        tails.delete(event.stream)
      }
      const { available, held } = event
      if (money.available !== nanosOf(available) || money.held !== nanosOf(held)) {
        problem ??= `The amounts up to position ${event.position} add up to another balance.`
      }
      return { hashed, problem }
    }
  }
}
