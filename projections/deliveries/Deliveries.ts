/** Lists of deliveries, newest first (contract, "Webhook management"). */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as Page from "../Page.ts"
import { ReadModels, rows, totalOf } from "../ReadModels.ts"
import { DeliveryItem } from "./DeliveryItem.ts"
import type { Failed, Filter, PageKey } from "./DeliveryFilter.ts"
import * as Queries from "./DeliveryQueries.ts"

export type DeliveryPage = Page.PageWithTotal<DeliveryItem, PageKey>

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * A page of an account's deliveries, newest first: page number `page` (from 1), or the page after `after`. The total
     * comes from counters unless the filter names a request.
     */
    list(options: Filter & Page.PageRequest<PageKey>): Effect.Effect<DeliveryPage, SqlError>
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

      const list = Effect.fn("Deliveries.list")(function* (
        options: Parameters<Deliveries["Service"]["list"]>[0]
      ) {
        const [count, pageOf] =
          options.requestId === undefined
            ? [Queries.sumCounters, Queries.pageOf]
            : [Queries.countOfRequest, Queries.ofRequest]
        const total = yield* totalOf(count(sql, options))
        const readPart = (part: Page.Part<PageKey>) => items(pageOf(sql, options, part))
        return yield* Page.read(options, total, readPart, pageKeyOf)
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
