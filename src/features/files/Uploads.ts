/** Uploads of clients (contract, "Uploads"), for every store and transport. */
import { type Array, Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Stored } from "#domain/file/Event.ts"
import { isOver } from "#domain/file/File.ts"
import { FileId } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import * as KeyedMutex from "#src/kernel/limits/KeyedMutex.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { Payloads } from "#streams/Payload.ts"
import * as Announcing from "./Announcing.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import {
  AlreadyUploaded,
  type FileForbidden,
  FileGone,
  FileNotFound,
  FileTooLarge,
  type QuotaExceeded
} from "#src/features/media/storage/FileErrors.ts"
import * as FileLimits from "#src/features/media/storage/FileLimits.ts"
import * as FileNames from "#src/features/media/storage/FileNames.ts"
import * as OwnedFile from "./OwnedFile.ts"
import * as PartsCheck from "./PartsCheck.ts"
import { StorageQuota } from "#src/features/media/storage/StorageQuota.ts"
import type { Part, UploadedPart } from "#src/platform/blobs/Part.ts"
import { type PartsRefused, UploadStore, type UploadTarget } from "#src/features/media/storage/UploadStore.ts"

/** As given; name and type are cleaned. */
export interface Announced {
  readonly caller: Caller
  readonly fileName: string
  readonly contentType: string
  /** Bytes that have to arrive; `null` if the client does not say. */
  readonly size: number | null
}

/** A multipart upload, by the ids that a client gave. */
export interface Named {
  readonly caller: Pick<Caller, "accountId">
  readonly uploadKey: string
  readonly uploadId: string
}

type Storage = EventStoreError | BlobStoreError | SqlError
type Unusable = FileNotFound | FileForbidden | FileGone | AlreadyUploaded

export interface Uploading {
  readonly fileUrl: string
  readonly fileName: string
  readonly contentType: string
  readonly size: number | null
  /** In ascending order. */
  readonly parts: ReadonlyArray<UploadedPart>
}

export class Uploads extends Context.Service<
  Uploads,
  {
    /** Durably announced when it returns. */
    initiate(
      announced: Announced
    ): Effect.Effect<
      { readonly uploadUrl: string; readonly fileUrl: string },
      FileTooLarge | QuotaExceeded | Storage
    >
    /** Durably announced when it returns. */
    initiateMultipart(
      announced: Announced
    ): Effect.Effect<
      { readonly fileUrl: string; readonly uploadId: string; readonly uploadKey: string },
      FileTooLarge | QuotaExceeded | Storage
    >
    /** @param partNumber 1 to `maxParts`. */
    partUrl(options: Named & { readonly partNumber: number }): Effect.Effect<string, Unusable | Storage>
    /** The parts so far, so that an interrupted client can continue. */
    uploading(named: Named): Effect.Effect<Uploading, Unusable | Storage>
    /** Makes a file of the parts, given in any order with distinct numbers. Returns its URL, durable and readable. */
    complete(
      options: Named & { readonly parts: Array.NonEmptyReadonlyArray<Part> }
    ): Effect.Effect<string, PartsRefused | QuotaExceeded | Unusable | Storage>
  }
>()("inferlog/src/features/files/Uploads") {
  static readonly layer = Layer.effect(
    Uploads,
    Effect.gen(function* () {
      const actors = yield* FileActors
      const store = yield* UploadStore
      const quota = yield* StorageQuota
      const announce = yield* Announcing.make
      const payloads = yield* Payloads
      const steady = yield* SteadyTime
      const { mediaUrl } = yield* PublicUrls
      const keptMs = yield* retentionMs
      const turnOf = KeyedMutex.make()

      const urlOf = ({ fileName, id }: UploadTarget) => MediaUrl.formatUpload(mediaUrl, id, fileName)

      const urlExpiry = Effect.map(steady.now, (now) => now + Duration.toMillis(FileLimits.urlLifetime))

      const requireRoom = Effect.fnUntraced(function* ({ caller, size }: Announced, limit: number) {
        if (size !== null && size > limit) return yield* new FileTooLarge({ limit })
        yield* quota.require(caller.accountId, size ?? 0)
      })

      const initiate: Uploads["Service"]["initiate"] = Effect.fn("Uploads.initiate")(function* (announced) {
        yield* requireRoom(announced, FileLimits.maxPutBytes)
        const target = Announcing.targetOf(announced)
        yield* announce(announced.caller, target, { method: { _tag: "Single" }, lifetimeMs: keptMs })
        const uploadUrl = yield* store.putUrl(target, { expiresAt: yield* urlExpiry })
        return { uploadUrl, fileUrl: urlOf(target) }
      })

      const initiateMultipart: Uploads["Service"]["initiateMultipart"] = Effect.fn(
        "Uploads.initiateMultipart"
      )(function* (announced) {
        yield* requireRoom(announced, FileLimits.maxFileBytes)
        const target = Announcing.targetOf(announced)
        const uploadId = yield* store.begin(target)
        yield* announce(announced.caller, target, {
          method: { _tag: "Multipart", uploadId },
          lifetimeMs: Math.min(keptMs, Duration.toMillis(FileLimits.partsLifetime))
        })
        return { fileUrl: urlOf(target), uploadId, uploadKey: target.id }
      })

      const find = Effect.fnUntraced(function* ({ caller, uploadId, uploadKey }: Named) {
        const { id, state } = yield* OwnedFile.find(actors, { caller, id: uploadKey })
        if (state._tag === "Gone" || isOver(state, yield* Clock.currentTimeMillis))
          return yield* new FileGone()
        const upload = state._tag === "Pending" ? state.upload : state.origin
        const isNamed =
          upload._tag === "UploadInitiated" &&
          upload.method._tag === "Multipart" &&
          upload.method.uploadId === uploadId
        if (!isNamed) return yield* new FileNotFound()
        const { contentType, size } = upload
        const fileName = yield* FileNames.of(payloads, id, upload)
        if (state._tag === "Present") {
          return yield* new AlreadyUploaded({ fileUrl: MediaUrl.formatUpload(mediaUrl, id, fileName) })
        }
        return { id, fileName, contentType, size } satisfies UploadTarget
      })

      const partUrl: Uploads["Service"]["partUrl"] = Effect.fn("Uploads.partUrl")(function* ({
        partNumber,
        ...named
      }) {
        const target = yield* find(named)
        const { uploadId } = named
        return yield* store.partUrl(target, { uploadId, partNumber, expiresAt: yield* urlExpiry })
      })

      const uploading: Uploads["Service"]["uploading"] = Effect.fn("Uploads.uploading")(function* (named) {
        const target = yield* find(named)
        const parts = yield* store.parts(target.id, named.uploadId)
        const { contentType, fileName, size } = target
        return { fileUrl: urlOf(target), fileName, contentType, size, parts }
      })

      /** If an earlier call combined the parts and crashed before recording it, they are parts no more. */
      const assemble = Effect.fnUntraced(function* (
        { id, size }: UploadTarget,
        uploadId: string,
        { caller, parts }: Pick<Named, "caller"> & { readonly parts: Array.NonEmptyReadonlyArray<Part> }
      ) {
        const uploaded = yield* store.parts(id, uploadId)
        const assembled = uploaded.length === 0 ? yield* store.look(id) : null
        if (assembled !== null) return assembled.stored
        const checked = yield* Effect.fromResult(PartsCheck.check(parts, uploaded, size))
        if (size === null) yield* quota.require(caller.accountId, PartsCheck.bytesOf(checked))
        return yield* store.assemble(id, uploadId, checked)
      })

      const tidy = (id: FileId, stored: Stored) =>
        Effect.catch(store.tidy(id, stored), (error) =>
          Effect.logWarning("Parts that no file was made of are left until it is deleted", error)
        )

      /** An earlier call may have recorded the file without cleaning up. */
      const tidyOnceMore = Effect.fnUntraced(function* ({ uploadKey }: Named) {
        const id = FileId.make(uploadKey)
        const { state } = yield* actors.current(id)
        if (state._tag === "Present") yield* tidy(id, state.stored)
      })

      /** Cleans up after a deletion while the parts were combined. */
      const finish = Effect.fnUntraced(function* (
        target: UploadTarget,
        { caller, parts, uploadId }: Parameters<Uploads["Service"]["complete"]>[0]
      ) {
        const clear = Effect.andThen(store.remove(target.id, uploadId), new FileGone())
        const stored = yield* assemble(target, uploadId, { caller, parts }).pipe(
          Effect.catchTag(["BlobStoreError", "PartsRefused"], (error) =>
            Effect.flatMap(
              actors.refresh(target.id),
              ({ state }): Effect.Effect<never, typeof error | FileGone> =>
                state._tag === "Gone" ? clear : Effect.fail(error)
            )
          )
        )
        const at = yield* Clock.currentTimeMillis
        yield* actors.execute(target.id, { _tag: "CompleteUpload", at, stored, expiresAt: at + keptMs }).pipe(
          Effect.catchTag("FileNotFound", Effect.die),
          Effect.catchTag("FileGone", () => clear),
          Effect.catchTag("AlreadyUploaded", () => new AlreadyUploaded({ fileUrl: urlOf(target) }))
        )
        yield* tidy(target.id, stored)
        return urlOf(target)
      })

      /** One at a time for each file: the second call finds the result of the first. */
      const complete: Uploads["Service"]["complete"] = Effect.fn("Uploads.complete")(function* (options) {
        const found = Effect.tapErrorTag(find(options), "AlreadyUploaded", () => tidyOnceMore(options))
        const { id } = yield* found
        return yield* turnOf(id)(Effect.flatMap(found, (target) => finish(target, options)))
      })

      return Uploads.of({
        initiate,
        initiateMultipart,
        partUrl,
        uploading,
        complete
      })
    })
  )
}
