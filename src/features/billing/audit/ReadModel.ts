/** The ledger's read model at one position, read from its file beside a running server, to compare with the log. */
import * as fs from "node:fs"
import { availableOf, heldOf } from "#domain/Ledger.ts"
import { noLimits } from "#domain/account/Limits.ts"
import * as LedgerHolds from "#projections/ledger/LedgerHolds.ts"
import * as LedgerProjection from "#projections/ledger/LedgerProjection.ts"
import * as LedgerState from "#projections/ledger/LedgerState.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as StoredCheckpoints from "#projections/runner/StoredCheckpoints.ts"
import * as Database from "#streams/sqlite/Database.ts"
import * as StreamName from "#streams/StreamName.ts"
import type { AuditState } from "./Auditor.ts"
import { usd } from "./Books.ts"

export type ReadModel =
  | {
      readonly _tag: "Found"
      readonly ledger: LedgerState.LedgerState
      readonly holds: ReadonlyArray<LedgerHolds.LedgerHold>
    }
  /** The read model cannot be compared, for the `reason`. */
  | { readonly _tag: "Missing"; readonly reason: string }

const missing = (reason: string): ReadModel => ({ _tag: "Missing", reason })

/** One consistent state of the file. */
export const read = (directory: string): ReadModel => {
  const filename = Generations.current(Generations.baseIn(directory))
  if (!fs.existsSync(filename)) return missing("there is no file of read models")
  try {
    const stored = StoredCheckpoints.read(filename).get(LedgerProjection.projection.name)
    if (stored === undefined) return missing("the file of read models has no ledger yet")
    if (stored.version !== LedgerProjection.projection.version) {
      return missing("the ledger of the read models is of another release")
    }
    const db = Database.open({ filename, readOnly: true, synchronous: "NORMAL" })
    try {
      // One transaction, so that both are of one position.
      db.exec("BEGIN")
      return {
        _tag: "Found",
        ledger: LedgerState.read(db.prepare(LedgerState.statement).iterate()),
        holds: Array.from(db.prepare(LedgerHolds.statement).iterate(), LedgerHolds.read)
      }
    } finally {
      db.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return missing(`the file of read models cannot be read: ${reason}`)
  }
}

/** The first difference at the read model's position; `null` without one. */
export const difference = (
  { holds, ledger }: Extract<ReadModel, { readonly _tag: "Found" }>,
  { accounts, books, requests }: AuditState
): string | null => {
  const { balances, limits, open, spending } = ledger
  const listed = new Map(balances.map((balance) => [balance.accountId, balance]))
  for (const accountId of new Set([...accounts.keys(), ...listed.keys()])) {
    const found = listed.get(accountId)
    const held = books.balance(heldOf(accountId))
    const balance = books.balance(availableOf(accountId)) + held
    const wrong =
      differs("the balance", accountId, found?.balance ?? 0n, balance) ??
      differs("what is held", accountId, found?.reserved ?? 0n, held)
    if (wrong !== null) return wrong
  }
  for (const { accountId, amount, keyId, requestId } of holds) {
    const request = requests.get(StreamName.make("InferenceRequest", requestId))
    if (request === undefined) return `it holds money for request ${requestId}, which is not open`
    if (request.accountId !== accountId || request.keyId !== keyId || request.quote.hold !== amount)
      return `what it holds for request ${requestId} is not what the request's submit says`
  }
  if (holds.length !== requests.size)
    return `it holds money for ${holds.length} requests, ${requests.size} are open`
  const ofKeys = openDifference(open, requests)
  if (ofKeys !== null) return ofKeys
  const limitsOf = new Map(limits.map((row) => [row.accountId, row.limits]))
  for (const [accountId, account] of accounts) {
    const found = limitsOf.get(accountId) ?? noLimits
    if (
      found.creditLimit !== account.limits.creditLimit ||
      found.maxOpenRequests !== account.limits.maxOpenRequests
    )
      return `the limits of ${accountId} are not those that were set last`
  }
  return spendingDifference(spending, accounts)
}

/** The sums of the keys' holds, by the open requests. */
const openDifference = (
  open: LedgerState.LedgerState["open"],
  requests: AuditState["requests"]
): string | null => {
  const nameOf = (accountId: string, keyId: string) => `${accountId} ${keyId}`
  const expected = new Map<string, { requests: number; held: bigint }>()
  for (const { accountId, keyId, quote } of requests.values()) {
    const name = nameOf(accountId, keyId)
    const sum = expected.get(name) ?? { requests: 0, held: 0n }
    expected.set(name, { requests: sum.requests + 1, held: sum.held + quote.hold })
  }
  for (const { accountId, held, keyId, requests } of open) {
    const sum = expected.get(nameOf(accountId, keyId)) ?? { requests: 0, held: 0n }
    if (sum.requests !== requests || sum.held !== held)
      return `it holds ${usd(held)} for ${requests} requests of key ${keyId}, by the log ${usd(sum.held)} for ${sum.requests}`
  }
  return open.length === expected.size
    ? null
    : `it holds money for requests of ${open.length} keys, those of ${expected.size} are open`
}

const spendingDifference = (
  spending: LedgerState.LedgerState["spending"],
  accounts: AuditState["accounts"]
): string | null => {
  for (const { accountId, keyId, month, spent } of spending) {
    const expected = accounts.get(accountId)?.keys.get(keyId)
    const what = `what key ${keyId} spent in its newest month`
    if (expected === undefined) return `${what} is of a key that was never charged`
    if (expected.month !== month) return `${what} is of another month than that of its last charge`
    const wrong = differs(what, accountId, spent, expected.spent)
    if (wrong !== null) return wrong
  }
  const keys = Array.from(accounts.values(), (account) => account.keys.size).reduce((a, b) => a + b, 0)
  return keys === spending.length
    ? null
    : `it has what ${spending.length} keys have spent, ${keys} were charged`
}

const differs = (what: string, accountId: string, found: bigint, expected: bigint): string | null =>
  found === expected ? null : `${what} of ${accountId} is ${usd(found)}, by the log ${usd(expected)}`
