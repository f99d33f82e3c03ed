/** Files whose bytes the server already has, from a client or from an address: no upload URL is needed. */
import * as crypto from "node:crypto"
import { Clock, Context, Duration, Effect, Layer, Stream } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { FileId } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as Announcing from "./Announcing.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import { FileGone, type QuotaExceeded } from "#src/features/media/storage/FileErrors.ts"
import * as FileKeys from "#src/features/media/storage/FileKeys.ts"
import * as KeyedPermits from "#src/kernel/limits/KeyedPermits.ts"
import { TooManyUploads } from "#src/features/media/storage/Reception.ts"
import { StorageQuota } from "#src/features/media/storage/StorageQuota.ts"
import { UploadStore, type UploadTarget } from "#src/features/media/storage/UploadStore.ts"

export interface Brought {
  readonly caller: Caller
  /** As given; it is cleaned. */
  readonly fileName: string
  /** As given; it is cleaned. */
  readonly contentType: string
  /** Exact length of the body, bytes. */
  readonly size: number
  /** As OpenAI's API names it, if the client said one. */
  readonly purpose?: string | undefined
  readonly body: Stream.Stream<Uint8Array, BlobStoreError>
}

export interface DirectFile {
  readonly fileId: FileId
  /** Public; the only credential. */
  readonly fileUrl: string
  readonly fileName: string
  readonly contentType: string
  readonly size: number
  /** Hex. */
  readonly sha256: string
  /** Unix time in ms. */
  readonly expiresAt: number
}

/** Bodies stored at the same time: with S3 each takes some MiB of memory. */
const mostBodies = { total: 16, perKey: 4, patience: "30 seconds" } as const

/** Retry time for a client beyond the limit, s. */
const retryAfterSeconds = 5

/** How long the remains of a crash count as declared. */
const pendingMs = Duration.toMillis(Duration.hours(1))

const cutShort = new BlobStoreError({
  reason: "could not write a blob: its body has another size than was said"
})

export class DirectUploads extends Context.Service<
  DirectUploads,
  {
    /** Fails if the account has no room at all, for callers that fetch the bytes first. `store` checks again. */
    requireRoom(caller: Caller): Effect.Effect<void, QuotaExceeded | EventStoreError | SqlError>
    /**
     * Durable and readable when it returns. The file is announced first, so that a crash leaves only known bytes, which
     * the sweep removes after an hour. A failure or interruption removes the bytes. Fails with `FileGone` if the
     * account was erased meanwhile.
     */
    store(
      brought: Brought
    ): Effect.Effect<
      DirectFile,
      QuotaExceeded | TooManyUploads | FileGone | EventStoreError | BlobStoreError | SqlError
    >
  }
>()("inferlog/src/features/files/DirectUploads") {
  static readonly layer = Layer.effect(
    DirectUploads,
    Effect.gen(function* () {
      const actors = yield* FileActors
      const announce = yield* Announcing.make
      const blobs = yield* BlobStore
      const media = yield* MediaStore
      const quota = yield* StorageQuota
      const uploads = yield* UploadStore
      const { mediaUrl } = yield* PublicUrls
      const keptMs = yield* retentionMs
      const permits = KeyedPermits.make(mostBodies)

      const write = Effect.fnUntraced(function* ({ id, size }: UploadTarget, body: Brought["body"]) {
        const md5 = crypto.createHash("md5")
        const sha256 = crypto.createHash("sha256")
        const hashed = Stream.tap(body, (chunk) =>
          Effect.sync(() => {
            md5.update(chunk)
            sha256.update(chunk)
          })
        )
        if ((yield* blobs.put(FileKeys.whole(id), hashed)) !== size) return yield* cutShort
        return { size, etag: md5.digest("hex"), sha256: sha256.digest("hex") }
      })

      const complete = Effect.fnUntraced(function* (
        { id }: UploadTarget,
        written: Effect.Success<ReturnType<typeof write>>
      ) {
        // S3 has its own ETags.
        const stored = { ...written, ...(yield* uploads.look(id))?.stored, sha256: written.sha256 }
        const at = yield* Clock.currentTimeMillis
        const expiresAt = at + keptMs
        yield* actors.execute(id, { _tag: "CompleteUpload", at, stored, expiresAt }).pipe(
          Effect.catchTag(["FileNotFound", "AlreadyUploaded"], Effect.die),
          Effect.catchTag("FileGone", () => new FileGone())
        )
        return expiresAt
      })

      const bring = Effect.fnUntraced(function* ({ body, caller, purpose, size, ...told }: Brought) {
        yield* quota.require(caller.accountId, size)
        const target = Announcing.targetOf({ ...told, size })
        const { contentType, fileName, id } = target
        yield* announce(caller, target, { method: { _tag: "Single" }, lifetimeMs: pendingMs, purpose })
        return yield* Effect.interruptible(write(target, body)).pipe(
          Effect.flatMap((written) =>
            Effect.map(complete(target, written), (expiresAt) => ({
              fileId: id,
              fileUrl: MediaUrl.formatUpload(mediaUrl, id, fileName),
              fileName,
              contentType,
              size,
              sha256: written.sha256,
              expiresAt
            }))
          ),
          Effect.onError(() => Effect.ignore(media.remove(id, "requested")))
        )
      }, Effect.uninterruptible)

      const store: DirectUploads["Service"]["store"] = Effect.fn("DirectUploads.store")((brought) =>
        permits.withPermit(
          brought.caller.accountId,
          bring(brought),
          Effect.fail(new TooManyUploads({ retryAfterSeconds }))
        )
      )

      const requireRoom: DirectUploads["Service"]["requireRoom"] = ({ accountId }) =>
        quota.require(accountId, 1)

      return DirectUploads.of({ requireRoom, store })
    })
  )
}
