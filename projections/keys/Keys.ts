/** Lists of keys for their owners and for operators, of workers' keys, and of accounts. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Grant } from "#domain/account/Grant.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import { Origin } from "#domain/account/Origin.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as Page from "../Page.ts"
import { ReadModels, rows, totalOf } from "../ReadModels.ts"
import * as Queries from "./KeyQueries.ts"
import { KeyItem, ListedKey, ListedWorkerKey, AccountDetails } from "./KeyViews.ts"

export class Keys extends Context.Service<
  Keys,
  {
    /** Keys of one account or of all, including revoked ones, by id, after `after`, at most `limit`. */
    list(options: {
      readonly accountId?: AccountId
      readonly after: KeyId | null
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<ListedKey>, SqlError>
    /**
     * A page of an account's keys, including revoked ones, newest first: page number `page` (from 1), or the page after
     * `after`. The total counts all its keys.
     */
    ofAccount(
      options: Page.PageRequest<Queries.PageKey> & { readonly accountId: AccountId }
    ): Effect.Effect<Page.PageWithTotal<KeyItem, Queries.PageKey>, SqlError>
    /** As in the lists. `null` for an unknown or unused key. */
    lastUsedAt(key: {
      readonly accountId: AccountId
      readonly keyId: KeyId
    }): Effect.Effect<number | null, SqlError>
    /** All keys of workers, including revoked ones, by id, after `after`, at most `limit`. */
    workers(options: {
      readonly after: KeyId | null
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<ListedWorkerKey>, SqlError>
    /** All accounts, including erased ones, by id, after `after`, at most `limit`. */
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

      const ofAccount = Effect.fn("Keys.ofAccount")(function* ({
        accountId,
        ...request
      }: Parameters<Keys["Service"]["ofAccount"]>[0]) {
        const total = yield* totalOf(Queries.countOfAccount(sql, accountId))
        const readPart = (part: Page.Part<Queries.PageKey>) => items(Queries.ofAccount(sql, accountId, part))
        return yield* Page.read(request, total, readPart, pageKeyOf)
      })

      return Keys.of({
        list: Effect.fn("Keys.list")((options) => listed(Queries.list(sql, options))),
        ofAccount,
        lastUsedAt: Effect.fn("Keys.lastUsedAt")((key) =>
          Effect.map(uses(Queries.lastUsedAt(sql, key)), ([row]) => row?.lastUsedAt ?? null)
        ),
        workers: Effect.fn("Keys.workers")((options) => workerKeys(Queries.workers(sql, options))),
        accounts: Effect.fn("Keys.accounts")((options) => details(Queries.accounts(sql, options)))
      })
    })
  )
}

const pageKeyOf = ({ issuedAt, keyId }: KeyItem): Queries.PageKey => ({ issuedAt, keyId })

/** Rows have lists as JSON. */
const granted = {
  scopes: Schema.fromJsonString(Grant.fields.scopes),
  modelEndpoints: Schema.NullOr(Schema.fromJsonString(Schema.Array(ModelEndpoint))),
  origins: Schema.NullOr(Schema.fromJsonString(Schema.Array(Origin)))
}

const listed = rows(Schema.Struct({ ...ListedKey.fields, ...granted }))
const items = rows(Schema.Struct({ ...KeyItem.fields, ...granted }))
const workerKeys = rows(Schema.Struct({ ...ListedWorkerKey.fields, modelEndpoints: granted.modelEndpoints }))
const uses = rows(Schema.Struct({ lastUsedAt: Schema.NullOr(Schema.Int) }))
const details = rows(AccountDetails)
