/** Lists of stored files, newest first (decisions, "Platform routes"), and what is to be done about files. */
import { Context, type Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId, FileId, RequestId } from "#domain/Ids.ts"
import type { FileItem, FileSource } from "./FileItem.ts"

/** Where a page ended: the next one begins behind it, whatever has been added since. */
export interface Place {
  /** Unix time in ms. */
  readonly createdAt: number
  readonly fileId: string
}

export interface Filter {
  readonly accountId: AccountId
  readonly source?: FileSource
  /** A type in lower case without parameters, or all of a kind: `image/*`. */
  readonly contentType?: string
  readonly requestId?: RequestId
}

export interface Page {
  readonly after: FileId | null
  readonly limit: number
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
      options: Filter & { readonly page: number; readonly after: Place | null; readonly limit: number }
    ): Effect.Effect<{ readonly total: number; readonly items: ReadonlyArray<FileItem> }, SqlError>
    /** Bytes that an account's files take up, thumbnails too; of pending ones those that were declared. */
    bytesOf(accountId: AccountId): Effect.Effect<number, SqlError>
    /** Files whose time, or whose upload's time, is over at `now` (Unix time in ms), in the order of their ids. */
    expired(options: Page & { readonly now: number }): Effect.Effect<ReadonlyArray<FileId>, SqlError>
    /** Files that are deleted or expired, with bytes that may not have been removed yet, in the order of their ids. */
    removals(options: Page): Effect.Effect<ReadonlyArray<FileId>, SqlError>
    /** Uploads in one PUT whose bytes have not come as far as the log knows, in the order of their ids. */
    awaited(options: Page): Effect.Effect<ReadonlyArray<FileId>, SqlError>
    /** All files of an account that are not deleted or expired, thumbnails too, in the order of their ids. */
    ofAccount(
      options: Page & { readonly accountId: AccountId }
    ): Effect.Effect<ReadonlyArray<FileId>, SqlError>
  }
>()("inferlog/projections/Files") {}
