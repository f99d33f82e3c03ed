/** Lists of stored files, newest first (decisions, "Platform routes"), and what is to be done about files. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type AccountId, FileId } from "#domain/Ids.ts"
import { PayloadRef } from "#domain/PayloadRef.ts"
import * as ListPage from "../Page.ts"
import { ReadModels, rows } from "../ReadModels.ts"
import { FileItem } from "./FileItem.ts"
import type { Filter, PageKey } from "./FileFilter.ts"
import * as Queries from "./FileQueries.ts"

export interface Page {
  readonly after: FileId | null
  readonly limit: number
}

export interface FilePage extends ListPage.Page<FileItem, PageKey> {
  /** Files that the filter lets through, on all pages. */
  readonly total: number
}

export class Files extends Context.Service<
  Files,
  {
    /**
     * A page of an account's files, newest first: the `page`th one from 1, or with `after` the one behind that place.
     * Thumbnails, and what was deleted or has expired, are not among them. `total`: of all that the filter lets through,
     * from counters unless a request is named.
     */
    list(
      options: Filter & { readonly page: number; readonly after: PageKey | null; readonly limit: number }
    ): Effect.Effect<FilePage, SqlError>
    /**
     * Bytes that an account's files take up, thumbnails apart: nobody sees them in a list. Of pending uploads those that were
     * declared count: of those in parts always, of those in one PUT when they were announced after `singlesSince` (Unix
     * time in ms), so that one that nobody can put any more does not hold room until it expires.
     */
    bytesOf(accountId: AccountId, options: { readonly singlesSince: number }): Effect.Effect<number, SqlError>
    /** Files whose time, or whose upload's time, is over at `now` (Unix time in ms), in the order of their ids. */
    expired(options: Page & { readonly now: number }): Effect.Effect<ReadonlyArray<FileId>, SqlError>
    /** Files that are deleted or expired, with bytes that may not have been removed yet, in the order of their ids. */
    removals(options: Page): Effect.Effect<ReadonlyArray<FileId>, SqlError>
    /**
     * Uploads in one PUT that were announced after `announcedAfter` and not after `announcedBy` (Unix time in ms), whether
     * their bytes have come or not, and are not deleted or expired, in the order of their ids. A page costs as much as
     * there are in that time.
     */
    singles(
      options: Page & { readonly announcedAfter: number; readonly announcedBy: number }
    ): Effect.Effect<ReadonlyArray<FileId>, SqlError>
    /** All files of an account that are not deleted or expired, thumbnails too, in the order of their ids. */
    ofAccount(
      options: Page & { readonly accountId: AccountId }
    ): Effect.Effect<ReadonlyArray<FileId>, SqlError>
  }
>()("inferlog/projections/Files") {
  static readonly layer = Layer.effect(
    Files,
    Effect.gen(function* () {
      const sql = yield* ReadModels

      const list = Effect.fn("Files.list")(function* ({
        page,
        after,
        limit,
        ...filter
      }: Parameters<Files["Service"]["list"]>[0]) {
        const [count, pageOf] =
          filter.requestId === undefined
            ? [Queries.sumCounters, Queries.pageOf]
            : [Queries.countOfRequest, Queries.ofRequest]
        const total = yield* totalOf(count(sql, filter))
        const offset = after === null ? (page - 1) * limit : 0
        if (offset >= total) return { total, items: [], next: null }
        const found = yield* items(pageOf(sql, filter, { after, offset, limit: limit + 1 }))
        return { total, ...ListPage.cut(found, limit, pageKeyOf) }
      })

      return Files.of({
        list,
        bytesOf: Effect.fn("Files.bytesOf")((accountId, options) =>
          totalOf(Queries.bytesOf(sql, accountId, options))
        ),
        expired: Effect.fn("Files.expired")((options) => ids(Queries.expired(sql, options))),
        removals: Effect.fn("Files.removals")((options) => ids(Queries.removals(sql, options))),
        singles: Effect.fn("Files.singles")((options) => ids(Queries.singles(sql, options))),
        ofAccount: Effect.fn("Files.ofAccount")((options) => ids(Queries.ofAccount(sql, options)))
      })
    })
  )
}

const pageKeyOf = ({ createdAt, fileId }: FileItem): PageKey => ({ createdAt, fileId })

const items = rows(
  Schema.Struct({ ...FileItem.fields, nameRef: Schema.NullOr(Schema.fromJsonString(PayloadRef)) })
)
const totals = rows(Schema.Struct({ total: Schema.Int }))
const totalOf = <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>) =>
  Effect.map(totals(statement), ([counted]) => counted?.total ?? 0)
const fileIds = rows(Schema.Struct({ fileId: FileId }))
const ids = <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>) =>
  Effect.map(fileIds(statement), (found) => found.map(({ fileId }) => fileId))
