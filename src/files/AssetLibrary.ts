/** The files of an account (decisions, "Platform routes"). */
import { Context, type Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { FileId, RequestId } from "#domain/Ids.ts"
import type { FileSource, FileStatus } from "#projections/files/FileItem.ts"
import type { Filter, Place } from "#projections/files/Files.ts"
import type { Caller } from "#src/accounts/Caller.ts"
import type { RequestForbidden } from "#src/requests/Requests.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { FileForbidden, FileGone, FileNotFound } from "./FileErrors.ts"

/** Times are Unix time in ms. */
export interface LibraryFile {
  readonly fileId: FileId
  readonly fileName: string
  /** Public, and the only credential. */
  readonly url: string
  readonly contentType: string
  /** Bytes: as declared while it is pending, `null` when nothing was. */
  readonly size: number | null
  readonly status: FileStatus
  readonly source: FileSource
  readonly requestId: RequestId | null
  /** Hex; `null` while it is pending, and where nobody has read all of the bytes. */
  readonly sha256: string | null
  readonly createdAt: number
  readonly uploadedAt: number | null
  readonly expiresAt: number
}

export interface FilePage {
  /** Files that the filter lets through, on all pages. */
  readonly total: number
  readonly items: ReadonlyArray<LibraryFile>
  /** Where the page ends, `null` when none follows. */
  readonly next: Place | null
}

/** One file, by an id as a client gave it. */
export interface Named {
  readonly caller: Caller
  readonly id: string
}

type Storage = EventStoreError | BlobStoreError | SqlError

export class AssetLibrary extends Context.Service<
  AssetLibrary,
  {
    /**
     * A page of the caller's files, newest first: the `page`th one from 1, or with `after` the one behind that place. It
     * waits at most 2 s for what was on the log when it was asked.
     */
    list(
      options: Omit<Filter, "accountId"> & {
        readonly caller: Caller
        readonly page: number
        readonly after: Place | null
        readonly limit: number
      }
    ): Effect.Effect<FilePage, RequestForbidden | Storage>
    get(named: Named): Effect.Effect<LibraryFile, FileNotFound | FileForbidden | FileGone | Storage>
    /** Nobody gets a byte of it when it returns, nor of its thumbnail. Repeated it changes nothing. */
    remove(named: Named): Effect.Effect<void, FileNotFound | FileForbidden | Storage>
  }
>()("inferlog/src/files/AssetLibrary") {}
