/**
 * The state of all accounts at one position of the log. A single statement reads it, so it is consistent on any connection.
 * `read` decodes the rows.
 */
import type { RequestLimits } from "#domain/account/Limits.ts"
import { AccountId, KeyId, RequestId } from "#domain/Ids.ts"
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

/** The hold of a request that has not ended. */
interface OpenHold {
  readonly requestId: RequestId
  readonly accountId: AccountId
  /** The key that submitted the request. */
  readonly keyId: KeyId
  readonly model: string
  readonly amount: NanoUsd
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
  readonly holds: ReadonlyArray<OpenHold>
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
  UNION ALL SELECT 'hold', request_id, account_id, key_id, amount, model, NULL FROM ledger_holds
  UNION ALL SELECT 'spending', NULL, account_id, key_id, spent, NULL, month FROM ledger_spending
  UNION ALL SELECT 'limits', NULL, account_id, NULL, credit_limit, NULL, max_open_requests FROM ledger_limits`

/** Decodes the rows of `statement`. The result takes some tens of bytes per account, key and open hold. */
export const read = (rows: Iterable<Columns>): LedgerState => {
  let position = GlobalPosition.beginning
  const balances: Array<AccountBalance> = []
  const holds: Array<OpenHold> = []
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
      case "hold":
        holds.push({
          requestId: RequestId.make(text(row["id"])),
          accountId,
          keyId: KeyId.make(text(row["key_id"])),
          model: text(row["other"]),
          amount
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
  return { position, balances, holds, spending, limits }
}

const nanoUsd = (column: Columns[string] | undefined): NanoUsd => NanoUsd.make(BigInt(text(column)))
