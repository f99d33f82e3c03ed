/** The files of an account (decisions, "Platform routes"). */
import { Clock, Context, Duration, Effect, Layer, Struct } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isOver } from "#domain/file/File.ts"
import { createdAt, type Pending, type Present, purposeOf, requestOf } from "#domain/file/State.ts"
import { FileId, type RequestId } from "#domain/Ids.ts"
import type * as Page from "#projections/Page.ts"
import type { FileItem, FileSource, FileStatus } from "#projections/files/FileItem.ts"
import type { Filter, PageKey } from "#projections/files/FileFilter.ts"
import { Files } from "#projections/files/Files.ts"
import { Projections } from "#projections/Projections.ts"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as NamedRequest from "#src/features/requests/NamedRequest.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { type RequestForbidden, Requests } from "#src/features/requests/Requests.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { Payloads } from "#streams/Payload.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import { type FileForbidden, FileGone, FileNotFound } from "#src/features/media/storage/FileErrors.ts"
import { putWindow } from "#src/features/media/storage/FileLimits.ts"
import * as FileNames from "#src/features/media/storage/FileNames.ts"
import * as OwnedFile from "./OwnedFile.ts"
import { UploadStore } from "#src/features/media/storage/UploadStore.ts"

/** Times are Unix time in ms. */
export interface LibraryFile {
  readonly fileId: FileId
  readonly fileName: string
  /** Public; the only credential. */
  readonly url: string
  readonly contentType: string
  /** Bytes; while pending the declared size, `null` without one. */
  readonly size: number | null
  readonly status: FileStatus
  readonly source: FileSource
  /** As OpenAI's API names it. */
  readonly purpose: string
  readonly requestId: RequestId | null
  /** Hex; `null` while pending, and if the bytes were never read here. */
  readonly sha256: string | null
  readonly createdAt: number
  readonly uploadedAt: number | null
  readonly expiresAt: number
}

export interface Named {
  readonly caller: Caller
  readonly id: string
}

type Storage = EventStoreError | BlobStoreError | SqlError

/** How long a list waits for the store to report which files have arrived. */
const patience = Duration.seconds(2)

/** Files of a page looked up at the same time. */
const concurrency = 16

export class AssetLibrary extends Context.Service<
  AssetLibrary,
  {
    /** A page of the caller's files, as of the call; fails after 2 s. `total` includes unswept files. */
    list(
      options: Omit<Filter, "accountId"> & Page.PageRequest<PageKey> & { readonly caller: Caller }
    ): Effect.Effect<Page.PageWithTotal<LibraryFile, PageKey>, RequestForbidden | ReadModelBehind | Storage>
    get(named: Named): Effect.Effect<LibraryFile, FileNotFound | FileForbidden | FileGone | Storage>
    /** The file's place in lists, also of a file that is deleted or expired, so that a list can go on after it. */
    placeOf(named: Named): Effect.Effect<PageKey, FileNotFound | FileForbidden | Storage>
    /** When it returns, the file and its thumbnail cannot be read any more. Repeating it changes nothing. */
    remove(named: Named): Effect.Effect<void, FileNotFound | FileForbidden | Storage>
  }
>()("inferlog/src/features/files/AssetLibrary") {
  static readonly layer = Layer.effect(
    AssetLibrary,
    Effect.gen(function* () {
      const actors = yield* FileActors
      const files = yield* Files
      const media = yield* MediaStore
      const requests = yield* Requests
      const requestActors = yield* RequestActors
      const payloads = yield* Payloads
      const projections = yield* Projections
      const { isDirect } = yield* UploadStore
      const { mediaUrl } = yield* PublicUrls

      const urlOf = (source: FileSource, id: FileId, fileName: string) =>
        (source === "upload" ? MediaUrl.formatUpload : MediaUrl.format)(mediaUrl, id, fileName)

      /** For a state that is current. */
      const describe = Effect.fnUntraced(function* (fileId: FileId, state: Pending | Present) {
        const origin = state._tag === "Pending" ? state.upload : state.origin
        const fileName = yield* FileNames.of(payloads, fileId, origin)
        const isPresent = state._tag === "Present"
        return {
          fileId,
          fileName,
          url: urlOf(origin._tag === "OutputStored" ? "output" : "upload", fileId, fileName),
          contentType: origin.contentType,
          size: isPresent ? state.stored.size : state.upload.size,
          status: isPresent ? "uploaded" : "pending",
          source: origin._tag === "OutputStored" ? "output" : "upload",
          purpose: purposeOf(origin),
          requestId: isPresent ? requestOf(state) : null,
          sha256: isPresent ? state.stored.sha256 : null,
          createdAt: origin.at,
          uploadedAt: isPresent ? state.storedAt : null,
          expiresAt: isPresent ? state.expiresAt : state.upload.expiresAt
        } satisfies LibraryFile
      })

      const listed = Effect.fnUntraced(function* (item: FileItem) {
        const { fileId, nameRef } = item
        const name =
          (nameRef === null ? item.fileName : yield* FileNames.open(payloads, fileId, nameRef)) ?? ""
        return {
          ...Struct.omit(item, ["accountId", "nameRef"]),
          fileName: name,
          url: urlOf(item.source, fileId, name)
        } satisfies LibraryFile
      })

      /** Bytes that a client sent to the store directly are looked for there. */
      const lookedFor = Effect.fnUntraced(function* (item: FileItem) {
        yield* Effect.catchTag(media.find(item.fileId), "MediaGone", () => Effect.void)
        const { state } = yield* actors.current(item.fileId)
        return state._tag === "Present" ? yield* describe(item.fileId, state) : yield* listed(item)
      })

      /** If the store does not answer in time, the list shows what the log knows. */
      const view = Effect.fnUntraced(function* (item: FileItem, answerBy: number) {
        const now = yield* Clock.currentTimeMillis
        const isAwaited =
          isDirect && item.status === "pending" && now - item.createdAt < Duration.toMillis(putWindow)
        if (!isAwaited) return yield* listed(item)
        return yield* lookedFor(item).pipe(
          Effect.timeoutOrElse({ duration: Math.max(answerBy - now, 0), orElse: () => listed(item) }),
          Effect.catchTag("BlobStoreError", () => listed(item))
        )
      })

      /** Expired files are gone even before the sweep. */
      const viewAll = Effect.fnUntraced(function* (items: ReadonlyArray<FileItem>) {
        const answerBy = (yield* Clock.currentTimeMillis) + Duration.toMillis(patience)
        const views = yield* Effect.forEach(items, (item) => view(item, answerBy), { concurrency })
        const now = yield* Clock.currentTimeMillis
        return views.filter(({ expiresAt }) => now < expiresAt)
      })

      const list: AssetLibrary["Service"]["list"] = Effect.fn("AssetLibrary.list")(function* ({
        caller,
        ...query
      }) {
        yield* NamedRequest.check(requests, caller, query.requestId)
        yield* projections.current("files")
        const { items, ...page } = yield* files.list({ ...query, accountId: caller.accountId })
        return { ...page, items: yield* viewAll(items) }
      })

      /** A thumbnail is not a file of its own. */
      const find = Effect.fnUntraced(function* (named: Named) {
        const found = yield* OwnedFile.find(actors, named)
        const { state } = found
        const isThumbnail =
          state._tag === "Present" &&
          state.origin._tag === "OutputStored" &&
          state.origin.kind === "thumbnail"
        return isThumbnail ? yield* new FileNotFound() : found
      })

      const get: AssetLibrary["Service"]["get"] = Effect.fn("AssetLibrary.get")(function* (named) {
        const { id } = yield* find(named)
        // A file that the store has found belongs to the list from now on.
        yield* Effect.catchTag(media.find(id), "MediaGone", () => new FileGone())
        const { state } = yield* actors.current(id)
        if (state._tag === "None" || state._tag === "Gone" || isOver(state, yield* Clock.currentTimeMillis)) {
          return yield* new FileGone()
        }
        return yield* describe(id, state)
      })

      const placeOf: AssetLibrary["Service"]["placeOf"] = Effect.fn("AssetLibrary.placeOf")(
        function* (named) {
          const { id, state } = yield* find(named)
          const at = createdAt(state)
          return at === null ? yield* new FileNotFound() : { createdAt: at, fileId: id }
        }
      )

      /** As of the log, and before the request has recorded its files, as planned: a later write of it then fails. */
      const thumbnailOf = Effect.fnUntraced(function* (id: FileId, requestId: RequestId) {
        const { state } = yield* requestActors.refresh(requestId)
        if (state._tag !== "Request") return null
        const isIt = ({ fileId }: { readonly fileId: string }) => fileId === id
        const { thumbnailId } = state.media.find(isIt) ??
          state.plannedMedia.find(isIt) ?? { thumbnailId: null }
        return thumbnailId === null ? null : FileId.make(thumbnailId)
      })

      const remove: AssetLibrary["Service"]["remove"] = Effect.fn("AssetLibrary.remove")(function* (named) {
        const { id, state } = yield* find(named)
        const requestId = state._tag === "Present" ? requestOf(state) : null
        const thumbnail = requestId === null ? null : yield* thumbnailOf(id, requestId)
        // Deleted first, so that a client that is cut off can repeat the call.
        if (thumbnail !== null) yield* media.remove(thumbnail, "requested")
        yield* media.remove(id, "requested")
      })

      return AssetLibrary.of({ list, get, placeOf, remove })
    })
  )
}
