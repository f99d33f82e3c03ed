/** Lists of requests, newest first (decisions, "History"). */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { RequestId } from "#domain/Ids.ts"
import { ReadModels, rows } from "../ReadModels.ts"
import { HistoryItem } from "./HistoryItem.ts"
import * as Queries from "./HistoryQueries.ts"

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
      options: Queries.Filter & { readonly page: number; readonly limit: number }
    ): Effect.Effect<HistoryPage, SqlError>
    /** The request, whoever's it is; `null` when the history has not come to it. */
    find(requestId: RequestId): Effect.Effect<HistoryItem | null, SqlError>
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
        const [counted] = yield* totals(
          isBounded ? Queries.countRows(sql, filter) : Queries.sumCounters(sql, filter)
        )
        const total = counted?.total ?? 0
        const offset = (page - 1) * limit
        if (offset >= total) return { total, items: [] }
        return { total, items: yield* items(Queries.pageOf(sql, filter, offset, limit)) }
      })

      const find = Effect.fn("History.find")(function* (requestId: RequestId) {
        const [found] = yield* items(Queries.rowOf(sql, requestId))
        return found ?? null
      })

      return History.of({ list, find })
    })
  )
}

const items = rows(HistoryItem)
const totals = rows(Schema.Struct({ total: Schema.Int }))
