/** Lists of requests, newest first (decisions, "History"). */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { RequestId } from "#domain/Ids.ts"
import * as Page from "../Page.ts"
import { ReadModels } from "../ReadModels.ts"
import { items } from "./FoundList.ts"
import { entriesOf, type Filter, modelsOf, type PageKey } from "./HistoryFilter.ts"
import type { HistoryItem } from "./HistoryItem.ts"
import * as Queries from "./HistoryQueries.ts"
import * as IndexedLists from "./IndexedLists.ts"
import * as MetadataLists from "./MetadataLists.ts"
import * as FairQueue from "./FairQueue.ts"

export class History extends Context.Service<
  History,
  {
    /**
     * A page of an account's requests, newest first: page number `page` (from 1), or the page after `after`. The total comes
     * from counters; a filter by time also counts index entries in the partial hours at its ends, and a filter by metadata
     * counts the entries of about its rarest value. Counting and skipping run in strides, between which other work and other
     * accounts run (`FairQueue`).
     */
    list(
      options: Filter & Page.PageRequest<PageKey>
    ): Effect.Effect<Page.PageWithTotal<HistoryItem, PageKey>, SqlError>
    /** The request, of any account. `null` when the history does not have it yet. */
    find(requestId: RequestId): Effect.Effect<HistoryItem | null, SqlError>
  }
>()("inferlog/projections/History") {
  static readonly layer = Layer.effect(
    History,
    Effect.gen(function* () {
      const sql = yield* ReadModels

      const queue = yield* FairQueue.make
      const byIndex = IndexedLists.make(sql, queue)
      const byMetadata = MetadataLists.make(sql, queue)

      const list = Effect.fn("History.list")(function* ({
        page,
        after,
        limit,
        ...filter
      }: Parameters<History["Service"]["list"]>[0]) {
        if (modelsOf(filter)?.length === 0) return { total: 0, items: [], next: null }
        const [entry, ...others] = entriesOf(filter)
        const found = yield* entry === undefined ? byIndex(filter) : byMetadata(filter, [entry, ...others])
        return yield* Page.read({ page, after, limit }, found.total, found.items, pageKeyOf)
      })

      const find = Effect.fn("History.find")(function* (requestId: RequestId) {
        const [found] = yield* items(Queries.rowOf(sql, requestId))
        return found ?? null
      })

      return History.of({ list, find })
    })
  )
}

const pageKeyOf = ({ createdAt, requestId }: HistoryItem): PageKey => ({ createdAt, requestId })
