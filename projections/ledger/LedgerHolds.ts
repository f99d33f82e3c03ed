/** The hold of each request that has not ended, for the audit. Few others may read as many rows as there are open requests. */
import { AccountId, KeyId, RequestId } from "#domain/Ids.ts"
import { NanoUsd } from "#domain/Money.ts"
import { type Columns, text } from "../batch/Columns.ts"

export interface LedgerHold {
  readonly requestId: RequestId
  readonly accountId: AccountId
  /** The key that submitted the request. */
  readonly keyId: KeyId
  readonly amount: NanoUsd
}

export const statement = "SELECT request_id, account_id, key_id, amount FROM ledger_holds"

/** Decodes a row of `statement`. */
export const read = (row: Columns): LedgerHold => ({
  requestId: RequestId.make(text(row["request_id"])),
  accountId: AccountId.make(text(row["account_id"])),
  keyId: KeyId.make(text(row["key_id"])),
  amount: NanoUsd.make(BigInt(text(row["amount"])))
})
