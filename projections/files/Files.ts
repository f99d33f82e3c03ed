/** Lists of stored files (decisions, "Platform routes"), and the work on files. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type AccountId, FileId } from "#domain/Ids.ts"
import { PayloadRef } from "#domain/PayloadRef.ts"
import * as ListPage from "../Page.ts"
import { ReadModels, rows, totalOf } from "../ReadModels.ts"
import { FileItem } from "./FileItem.ts"
import type { Filter, PageKey } from "./FileFilter.ts"
import * as Queries from "./FileQueries.ts"

export interface Page {
  readonly after: FileId | null
  readonly limit: number
}

export class Files extends Context.Service<
  Files,
  {
    /**
     * A page of an account's files in the order of the filter: page number `page` (from 1), or the page after `after`. Leaves out
     * thumbnails and files that are deleted or expired. The total comes from counters unless the filter names a request.
     */
    list(
      options: Filter & ListPage.PageRequest<PageKey>
    ): Effect.Effect<ListPage.PageWithTotal<FileItem, PageKey>, SqlError>
    /**
     * The bytes of an account's files without thumbnails, which no list shows. Pending uploads count with their declared
     * size: uploads in parts always, uploads in one PUT only when announced after `singlesSince` (Unix time in ms), because
     * an upload whose URL has expired must not block the quota.
     */
    bytesOf(accountId: AccountId, options: { readonly singlesSince: number }): Effect.Effect<number, SqlError>
    /** Files that have expired, or whose upload has, at `now` (Unix time in ms), by id. */
    expired(options: Page & { readonly now: number }): Effect.Effect<ReadonlyArray<FileId>, SqlError>
    /** Deleted or expired files whose bytes may not be removed yet, by id. */
    removals(options: Page): Effect.Effect<ReadonlyArray<FileId>, SqlError>
    /**
     * Uploads in one PUT that were announced after `announcedAfter` and not after `announcedBy` (Unix time in ms), complete
     * or not, and are not deleted or expired; by id. The cost of a page depends on the number of uploads in that time.
     */
    singles(
      options: Page & { readonly announcedAfter: number; readonly announcedBy: number }
    ): Effect.Effect<ReadonlyArray<FileId>, SqlError>
    /** Files of an account that are not deleted or expired, including thumbnails, by id. */
    ofAccount(
      options: Page & { readonly accountId: AccountId }
    ): Effect.Effect<ReadonlyArray<FileId>, SqlError>
  }
>()("inferlog/projections/Files") {
  static readonly layer = Layer.effect(
    Files,
    Effect.gen(function* () {
      const sql = yield* ReadModels

      const list = Effect.fn("Files.list")(function* (options: Parameters<Files["Service"]["list"]>[0]) {
        const [count, pageOf] =
          options.requestId === undefined
            ? [Queries.sumCounters, Queries.pageOf]
            : [Queries.countOfRequest, Queries.ofRequest]
        const total = yield* totalOf(count(sql, options))
        const readPart = (part: ListPage.Part<PageKey>) => items(pageOf(sql, options, part))
        return yield* ListPage.read(options, total, readPart, pageKeyOf)
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
const fileIds = rows(Schema.Struct({ fileId: FileId }))
const ids = <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>) =>
  Effect.map(fileIds(statement), (found) => found.map(({ fileId }) => fileId))
