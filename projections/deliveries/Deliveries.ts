/** Lists of deliveries, newest first (contract, "Webhook management"). */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as Page from "../Page.ts"
import { ReadModels, rows } from "../ReadModels.ts"
import { DeliveryItem } from "./DeliveryItem.ts"
import type { Failed, Filter, PageKey } from "./DeliveryFilter.ts"
import * as Queries from "./DeliveryQueries.ts"

export interface DeliveryPage extends Page.Page<DeliveryItem, PageKey> {
  /** The number of deliveries that match the filter, on all pages. */
  readonly total: number
}

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * A page of an account's deliveries, newest first: page number `page` (from 1), or the page after `after`. The total
     * comes from counters unless the filter names a request.
     */
    list(
      options: Filter & { readonly page: number; readonly after: PageKey | null; readonly limit: number }
    ): Effect.Effect<DeliveryPage, SqlError>
    countFailed(failed: Failed): Effect.Effect<number, SqlError>
    /** Failed deliveries after `after`, oldest first, at most `limit`. */
    failed(
      options: Failed & { readonly after: PageKey | null; readonly limit: number }
    ): Effect.Effect<ReadonlyArray<PageKey & { readonly deliveryId: DeliveryId }>, SqlError>
  }
>()("inferlog/projections/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const sql = yield* ReadModels

      const list = Effect.fn("Deliveries.list")(function* ({
        page,
        after,
        limit,
        ...filter
      }: Parameters<Deliveries["Service"]["list"]>[0]) {
        const [count, pageOf] =
          filter.requestId === undefined
            ? [Queries.sumCounters, Queries.pageOf]
            : [Queries.countOfRequest, Queries.ofRequest]
        const total = yield* totalOf(count(sql, filter))
        const offset = after === null ? (page - 1) * limit : 0
        if (offset >= total) return { total, items: [], next: null }
        const found = yield* items(pageOf(sql, filter, { after, offset, limit: limit + 1 }))
        return { total, ...Page.cut(found, limit, pageKeyOf) }
      })

      return Deliveries.of({
        list,
        countFailed: Effect.fn("Deliveries.countFailed")((failed) =>
          totalOf(Queries.countFailed(sql, failed))
        ),
        failed: Effect.fn("Deliveries.failed")((options) => pageKeys(Queries.failed(sql, options)))
      })
    })
  )
}

const pageKeyOf = ({ createdAt, deliveryId }: DeliveryItem): PageKey => ({ createdAt, deliveryId })

const items = rows(DeliveryItem)
const pageKeys = rows(Schema.Struct({ createdAt: Schema.Int, deliveryId: DeliveryId }))
const totals = rows(Schema.Struct({ total: Schema.Int }))
const totalOf = <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>) =>
  Effect.map(totals(statement), ([counted]) => counted?.total ?? 0)
