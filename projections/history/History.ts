/** Lists of requests, newest first (decisions, "History"). */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId } from "#domain/Ids.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { ReadModels, rows } from "../ReadModels.ts"
import type { Status } from "#domain/inference-request/Status.ts"
import { HistoryItem } from "./HistoryItem.ts"

export interface Filter {
  readonly accountId: AccountId
  readonly status?: Status
  readonly model?: ModelEndpoint
  /** Unix time in ms; the bounds themselves are left out. */
  readonly createdAfter?: number
  readonly createdBefore?: number
}

export interface HistoryPage {
  /** Requests that the filter lets through, on all pages. */
  readonly total: number
  readonly items: ReadonlyArray<HistoryItem>
}

export class History extends Context.Service<
  History,
  {
    /**
     * A page of an account's requests, `page` from 1. Its total comes from counters, unless a time bound is given: then
     * the entries of the index between the bounds are counted.
     */
    list(
      options: Filter & { readonly page: number; readonly limit: number }
    ): Effect.Effect<HistoryPage, SqlError>
  }
>()("inferlog/projections/History") {
  static readonly layer = Layer.effect(
    History,
    Effect.gen(function* () {
      const sql = yield* ReadModels

      const list = Effect.fn("History.list")(function* ({
        page,
        limit,
        ...filter
      }: Parameters<History["Service"]["list"]>[0]) {
        const isBounded = filter.createdAfter !== undefined || filter.createdBefore !== undefined
        const [counted] = yield* totals(isBounded ? countRows(sql, filter) : sumCounters(sql, filter))
        const total = counted?.total ?? 0
        const offset = (page - 1) * limit
        if (offset >= total) return { total, items: [] }
        return { total, items: yield* items(pageOf(sql, filter, offset, limit)) }
      })

      return History.of({ list })
    })
  )
}

const items = rows(HistoryItem)
const totals = rows(Schema.Struct({ total: Schema.Int }))

const columns = `request_id AS "requestId", account_id AS "accountId", model, status, outcome, metadata,
  created_at AS "createdAt", started_at AS "startedAt", run_started_at AS "runStartedAt", ended_at AS "endedAt",
  billing_status AS "billingStatus", amount, error, position`

const byColumns = (sql: SqlClient, { accountId, status, model }: Filter) => [
  sql`account_id = ${accountId}`,
  ...(model === undefined ? [] : [sql`model = ${model}`]),
  ...(status === undefined ? [] : [sql`status = ${status}`])
]

const byAll = (sql: SqlClient, filter: Filter) =>
  sql.and([
    ...byColumns(sql, filter),
    ...(filter.createdAfter === undefined ? [] : [sql`created_at > ${filter.createdAfter}`]),
    ...(filter.createdBefore === undefined ? [] : [sql`created_at < ${filter.createdBefore}`])
  ])

/** The index whose columns the filter fixes, so that its entries come in the order of the list. */
const indexOf = (sql: SqlClient, { status, model }: Filter) => {
  if (model === undefined) return sql.literal(status === undefined ? "history_by_time" : "history_by_status")
  return sql.literal(status === undefined ? "history_by_model" : "history_by_model_and_status")
}

const sumCounters = (sql: SqlClient, filter: Filter) => sql`
  SELECT coalesce(sum(requests), 0) AS total FROM history_counters WHERE ${sql.and(byColumns(sql, filter))}`

const countRows = (sql: SqlClient, filter: Filter) => sql`
  SELECT count(*) AS total FROM history_requests INDEXED BY ${indexOf(sql, filter)} WHERE ${byAll(sql, filter)}`

/** Steps over `offset` entries of the index alone, then reads the rows of one page. */
export const pageOf = (sql: SqlClient, filter: Filter, offset: number, limit: number) => sql`
  SELECT ${sql.literal(columns)} FROM history_requests WHERE request_id IN (
    SELECT request_id FROM history_requests INDEXED BY ${indexOf(sql, filter)} WHERE ${byAll(sql, filter)}
    ORDER BY created_at DESC, request_id DESC LIMIT ${limit} OFFSET ${offset}
  ) ORDER BY created_at DESC, request_id DESC`
