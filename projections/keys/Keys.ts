/** Lists of keys, for their owners and for operators, and of accounts. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { NanoUsd } from "#domain/Money.ts"
import { ReadModels, rows } from "../ReadModels.ts"

/** Times are Unix time in ms. */
export const ListedKey = Schema.Struct({
  keyId: KeyId,
  accountId: AccountId,
  accountName: Schema.String,
  name: Schema.String,
  issuedAt: Schema.Int,
  revokedAt: Schema.NullOr(Schema.Int)
})
export type ListedKey = typeof ListedKey.Type

/** An account without its money. `erasedAt`: nothing of it changes any more. */
export const AccountDetails = Schema.Struct({
  accountId: AccountId,
  name: Schema.String,
  openedAt: Schema.Int,
  erasedAt: Schema.NullOr(Schema.Int),
  /** Nano-USD. */
  creditLimit: NanoUsd,
  maxOpenRequests: Schema.NullOr(Schema.Int),
  /** Bytes. */
  maxStoredBytes: Schema.NullOr(Schema.Int)
})
export type AccountDetails = typeof AccountDetails.Type

export class Keys extends Context.Service<
  Keys,
  {
    /** Keys of one account or of all, revoked ones too, in the order of their ids after `after`, at most `limit`. */
    list(options: {
      readonly accountId?: AccountId
      readonly after: KeyId | null
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<ListedKey>, SqlError>
    /** All accounts, erased ones too, in the order of their ids after `after`, at most `limit`. */
    accounts(options: {
      readonly after: AccountId | null
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<AccountDetails>, SqlError>
  }
>()("inferlog/projections/Keys") {
  static readonly layer = Layer.effect(
    Keys,
    Effect.gen(function* () {
      const sql = yield* ReadModels

      const list = Effect.fn("Keys.list")(
        ({ accountId, after, limit }: Parameters<Keys["Service"]["list"]>[0]) =>
          listed(sql`
            SELECT key_id AS "keyId", account_id AS "accountId", keys_accounts.name AS "accountName",
              keys_keys.name, issued_at AS "issuedAt", revoked_at AS "revokedAt"
            FROM keys_keys JOIN keys_accounts USING (account_id)
            WHERE key_id > ${after ?? ""} AND ${accountId === undefined ? sql`TRUE` : sql`account_id = ${accountId}`}
            ORDER BY key_id LIMIT ${limit}`)
      )

      const accounts = Effect.fn("Keys.accounts")(
        ({ after, limit }: Parameters<Keys["Service"]["accounts"]>[0]) =>
          details(sql`
            SELECT account_id AS "accountId", name, opened_at AS "openedAt", erased_at AS "erasedAt",
              credit_limit AS "creditLimit", max_open_requests AS "maxOpenRequests",
              max_stored AS "maxStoredBytes"
            FROM keys_accounts WHERE account_id > ${after ?? ""} ORDER BY account_id LIMIT ${limit}`)
      )

      return Keys.of({ list, accounts })
    })
  )
}

const listed = rows(ListedKey)
const details = rows(AccountDetails)
