/** Receives bytes that clients PUT to `SignedUrls`, and stores them beside the other blobs on disk. */
import { Clock, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { UploadInitiated } from "#domain/file/Event.ts"
import { isOver } from "#domain/file/File.ts"
import type { State } from "#domain/file/State.ts"
import { FileId } from "#domain/Ids.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { FileBlobs } from "#streams/FileBlobs.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as KeyedPermits from "#src/kernel/limits/KeyedPermits.ts"
import * as DeclaredType from "../DeclaredType.ts"
import { AlreadyUploaded, FileGone, FileNotFound, FileTooLarge, type QuotaExceeded } from "../FileErrors.ts"
import { FileActors } from "../FileActors.ts"
import * as FileLimits from "../FileLimits.ts"
import { BodyRefused, type Put, Reception, TooManyUploads, UrlRefused } from "../Reception.ts"
import { StorageQuota } from "../StorageQuota.ts"
import { HashThreads } from "./HashThreads.ts"
import * as KeepPart from "./KeepPart.ts"
import * as KeepWhole from "./KeepWhole.ts"
import { type Claim, claimOf, type PartOf, SignedUrls } from "./SignedUrls.ts"

/** PUTs received at the same time: each may take some MiB of memory. */
const mostPuts = { total: 96, perKey: 32, patience: "30 seconds" } as const

/** Retry time for a client beyond the limit, s. */
const retryAfterSeconds = 5

/** How many times the declared size the parts may take, for parts that were sent again with other bytes. */
const mostRepeats = 3

const nothing = { inFile: 0, kept: 0 }

const idOf = Schema.decodeUnknownOption(FileId)

interface Wanted {
  readonly id: FileId
  readonly upload: UploadInitiated
  readonly state: Extract<State, { readonly _tag: "Pending" | "Present" }>
}

const uploadOf = (state: Wanted["state"]): UploadInitiated | null => {
  if (state._tag === "Pending") return state.upload
  return state.origin._tag === "UploadInitiated" ? state.origin : null
}

const isOf = ({ method }: UploadInitiated, part: PartOf | null): boolean =>
  method._tag === "Multipart" ? method.uploadId === part?.uploadId : part === null

/** The limit of a body: the announced size, or that of a PUT. */
const limitOf = ({ size }: UploadInitiated): number =>
  Math.min(size ?? FileLimits.maxPutBytes, FileLimits.maxPutBytes)

/** The faults of a body before it is read. */
const refusalOf = (put: Put, { size }: UploadInitiated, part: PartOf | null, limit: number) => {
  const { contentLength } = put
  if (contentLength === undefined) return null
  if (contentLength > limit) return new FileTooLarge({ limit })
  return part === null && size !== null && contentLength < size
    ? new BodyRefused({ reason: "wrong_size" })
    : null
}

/** If blobs are not files, no upload URL is ours. */
const refusing = Reception.of({ receive: () => new UrlRefused({ reason: "not_signed" }) })

const make = Effect.fnUntraced(function* (files: FileBlobs["Service"]) {
  const actors = yield* FileActors
  const quota = yield* StorageQuota
  const urls = yield* SignedUrls
  const steady = yield* SteadyTime
  const keepWhole = yield* KeepWhole.make(files)
  const keepPart = yield* KeepPart.make(files)
  const permits = KeyedPermits.make(mostPuts)

  /** As of the log, because another node may have changed it. */
  const find = Effect.fnUntraced(function* (text: string, claim: Claim) {
    const id = Option.getOrNull(idOf(text))
    if (id === null) return yield* new FileNotFound()
    const { state } = yield* actors.refresh(id)
    if (state._tag === "None") return yield* new FileNotFound()
    if (state._tag === "Gone" || isOver(state, yield* Clock.currentTimeMillis)) return yield* new FileGone()
    const upload = uploadOf(state)
    if (upload === null) return yield* new FileNotFound()
    const { contentType, size } = upload
    yield* urls.verify(claim, { id, contentType, size }, yield* steady.now)
    if (!isOf(upload, claim.part)) return yield* new FileNotFound()
    return { id, upload, state } satisfies Wanted
  })

  /** The announced bytes count already. */
  const requireRoom = (
    { accountId, size }: UploadInitiated,
    { inFile, kept }: typeof nothing,
    bytes: number
  ): Effect.Effect<void, QuotaExceeded | FileTooLarge | EventStoreError | SqlError> => {
    if (size === null) return kept + bytes > 0 ? quota.require(accountId, kept + bytes) : Effect.void
    const isTooMuch = inFile + bytes > size || kept + bytes > mostRepeats * size
    return isTooMuch ? Effect.fail(new FileTooLarge({ limit: size })) : Effect.void
  }

  const keep = Effect.fnUntraced(function* (put: Put, part: PartOf | null, { id, state, upload }: Wanted) {
    const limit = limitOf(upload)
    const refusal = refusalOf(put, upload, part, limit)
    if (refusal !== null) return yield* refusal
    // Until a file is made of them, only this store knows the parts.
    const beside = part === null ? nothing : yield* keepPart.bytesBeside(id, part.partNumber)
    const requireRoomFor = (bytes: number) => requireRoom(upload, beside, bytes)
    if (state._tag === "Pending") yield* requireRoomFor(put.contentLength ?? 0)
    const size = put.contentLength ?? (part === null ? (upload.size ?? undefined) : undefined)
    const room = size === undefined && upload.size === null ? yield* quota.room(upload.accountId) : null
    const fitting = room === null ? limit : Math.min(limit, Math.max(0, room - beside.kept))
    const incoming = { body: put.body, contentMd5: put.contentMd5, limit: fitting, size }
    const whenReceived = put.contentLength === undefined ? requireRoomFor : () => Effect.void
    if (state._tag === "Present") {
      if (part !== null) return yield* new AlreadyUploaded()
      return yield* keepWhole.compare({ stored: state.stored, incoming })
    }
    const kept =
      part === null
        ? keepWhole.first({ id, incoming, whenReceived })
        : keepPart.keep({ id, partNumber: part.partNumber, incoming, whenReceived })
    // A body beyond the free room is reported as that.
    return yield* Effect.tapErrorTag(kept, "FileTooLarge", () =>
      fitting < limit ? requireRoomFor(fitting + 1) : Effect.void
    )
  })

  const receive: Reception["Service"]["receive"] = Effect.fn("LocalReception.receive")(function* (put) {
    const claim = yield* claimOf(put.query)
    const wanted = yield* find(put.id, claim)
    const mismatch =
      claim.part === null ? DeclaredType.mismatchOf(put.contentType, wanted.upload.contentType) : null
    if (mismatch !== null) return yield* mismatch
    return yield* permits.withPermit(
      wanted.upload.accountId,
      keep(put, claim.part, wanted),
      Effect.fail(new TooManyUploads({ retryAfterSeconds }))
    )
  })

  return Reception.of({ receive })
})

const layerNoDeps = Layer.effect(
  Reception,
  Effect.flatMap(
    Effect.serviceOption(FileBlobs),
    Option.match({ onNone: () => Effect.succeed(refusing), onSome: make })
  )
)

export const layer = layerNoDeps.pipe(Layer.provide(Layer.merge(SignedUrls.layer, HashThreads.layer)))
