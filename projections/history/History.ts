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

export interface HistoryPage extends Page.Page<HistoryItem, PageKey> {
  /** Requests that the filter lets through, on all pages. */
  readonly total: number
}

export class History extends Context.Service<
  History,
  {
    /**
     * A page of an account's requests, newest first: the `page`th one from 1, or with `after` the one behind that place.
     * Its total is of all that the filter lets through: from counters, to which between bounds of time the entries of the
     * hours are added that these divide. With metadata the entries are counted that about the rarest of it has. Whatever is
     * counted or stepped over is so in strides, with everybody else's queue in between, and other accounts' (`FairQueue`).
     */
    list(
      options: Filter & { readonly page: number; readonly after: PageKey | null; readonly limit: number }
    ): Effect.Effect<HistoryPage, SqlError>
    /** The request, whoever's it is; `null` when the history has not come to it. */
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
        if (modelsOf(filter)?.length === 0) return none
        const [entry, ...others] = entriesOf(filter)
        const found = yield* entry === undefined ? byIndex(filter) : byMetadata(filter, [entry, ...others])
        const offset = after === null ? (page - 1) * limit : 0
        if (offset >= found.total) return { ...none, total: found.total }
        const shown = yield* found.items({ after, offset, limit: limit + 1 })
        return { total: found.total, ...Page.cut(shown, limit, pageKeyOf) }
      })

      const find = Effect.fn("History.find")(function* (requestId: RequestId) {
        const [found] = yield* items(Queries.rowOf(sql, requestId))
        return found ?? null
      })

      return History.of({ list, find })
    })
  )
}

const none: HistoryPage = { total: 0, items: [], next: null }

const pageKeyOf = ({ createdAt, requestId }: HistoryItem): PageKey => ({ createdAt, requestId })
