/**
 * The state of all accounts at one position of the log. A single statement reads it, so it is consistent on any connection.
 * `read` decodes the rows.
 */
import type { RequestLimits } from "#domain/account/Limits.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { NanoUsd } from "#domain/Money.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { type Columns, integer, integerOrNull, text } from "../batch/Columns.ts"

/** Amounts are nano-USD. */
export interface AccountBalance {
  readonly accountId: AccountId
  /** Includes `reserved`. */
  readonly balance: NanoUsd
  /** Held for requests that have not ended. */
  readonly reserved: NanoUsd
  /** Time of the last entry, Unix time in ms. */
  readonly updatedAt: number
}

/** The holds of a key's requests that have not ended. */
interface OpenRequests {
  readonly accountId: AccountId
  /** The key that submitted them. */
  readonly keyId: KeyId
  /** At least 1. */
  readonly requests: number
  readonly held: NanoUsd
}

/** The charges for the requests of a key in the last month with any charge. */
interface KeySpending {
  readonly accountId: AccountId
  readonly keyId: KeyId
  /** Start of the month (UTC), Unix time in ms. */
  readonly month: number
  readonly spent: NanoUsd
}

export interface LedgerState {
  /** The state includes every event up to this position and none after it. */
  readonly position: GlobalPosition.GlobalPosition
  /** Accounts that ever had an entry. */
  readonly balances: ReadonlyArray<AccountBalance>
  readonly open: ReadonlyArray<OpenRequests>
  /** Keys whose requests were ever charged. */
  readonly spending: ReadonlyArray<KeySpending>
  /** Accounts with limits. */
  readonly limits: ReadonlyArray<{ readonly accountId: AccountId; readonly limits: RequestLimits }>
}

export const statement = `
  SELECT 'checkpoint' AS what, position AS id, NULL AS account_id, NULL AS key_id, NULL AS amount, NULL AS other,
    NULL AS number
  FROM checkpoints WHERE projection = 'ledger'
  UNION ALL SELECT 'balance', NULL, account_id, NULL, balance, reserved, updated_at FROM ledger_balances
  UNION ALL SELECT 'open', NULL, account_id, key_id, held, NULL, requests FROM ledger_open
  UNION ALL SELECT 'spending', NULL, account_id, key_id, spent, NULL, month FROM ledger_spending
  UNION ALL SELECT 'limits', NULL, account_id, NULL, credit_limit, NULL, max_open_requests FROM ledger_limits`

/** Decodes the rows of `statement`. The result takes some tens of bytes for each account and key. */
export const read = (rows: Iterable<Columns>): LedgerState => {
  let position = GlobalPosition.beginning
  const balances: Array<AccountBalance> = []
  const open: Array<OpenRequests> = []
  const spending: Array<KeySpending> = []
  const limits: Array<LedgerState["limits"][number]> = []
  for (const row of rows) {
    if (row["what"] === "checkpoint") {
      position = GlobalPosition.GlobalPosition.make(text(row["id"]))
      continue
    }
    const accountId = AccountId.make(text(row["account_id"]))
    const amount = nanoUsd(row["amount"])
    switch (row["what"]) {
      case "balance":
        balances.push({
          accountId,
          balance: amount,
          reserved: nanoUsd(row["other"]),
          updatedAt: integer(row["number"])
        })
        break
      case "open":
        open.push({
          accountId,
          keyId: KeyId.make(text(row["key_id"])),
          requests: integer(row["number"]),
          held: amount
        })
        break
      case "spending":
        spending.push({
          accountId,
          keyId: KeyId.make(text(row["key_id"])),
          month: integer(row["number"]),
          spent: amount
        })
        break
      case "limits":
        limits.push({
          accountId,
          limits: { creditLimit: amount, maxOpenRequests: integerOrNull(row["number"]) }
        })
        break
    }
  }
  return { position, balances, open, spending, limits }
}

const nanoUsd = (column: Columns[string] | undefined): NanoUsd => NanoUsd.make(BigInt(text(column)))
