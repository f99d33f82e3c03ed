/** Writes a client's body at the pace of the slowest of client, disk and hashing. Beyond the limit the socket waits. */
import * as fs from "node:fs"
import type { Readable } from "node:stream"
import { Clock, Deferred, Effect } from "effect"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import * as FileFailure from "#streams/FileFailure.ts"
import { FileTooLarge } from "../FileErrors.ts"
import { BodyRefused } from "../Reception.ts"
import type { BodyDigest } from "./BodyDigest.ts"
import * as Chunks from "#src/platform/blobs/Chunks.ts"

export interface BodyToWrite {
  /** Chunks are consumed without a copy. */
  readonly body: Readable
  /** An empty file. It is not written to, and its digest not updated, after the effect ends. */
  readonly descriptor: number
  readonly digests: ReadonlyArray<BodyDigest>
  /** The most bytes. */
  readonly limit: number
  /** The exact number of bytes, if known. */
  readonly size: number | undefined
}

const KiB = 1024
const MiB = 1024 * KiB

/** Bytes waiting to be written; as many are being written. */
const mostPending = 1 * MiB

/** Chunks waiting to be written, because a client may send single bytes. */
const mostChunks = 1_024

/** Written bytes that are not hashed: few enough to stay in the page cache. */
const mostBehind = 64 * MiB

/** Bytes after which the disk is asked to begin, so that the final sync is short. */
const syncEvery = 64 * MiB

/** Bytes that a client must send in each `longestWait`, so that a slow one does not hold its place. */
const leastBytes = 64 * KiB

/** ms for the next `leastBytes` or the end of the body. Only time in which we could read counts. */
const longestWait = 60_000

/** The shortest interval between checks, ms; waits do not grow while reading is paused. */
const lookEvery = 1_000

type Failure = BodyRefused | FileTooLarge | BlobStoreError

class Writing {
  readonly #options: BodyToWrite
  readonly #now: () => number
  readonly #settle: (end: Effect.Effect<number, Failure>) => void
  #pending: Array<Uint8Array> = []
  #pendingBytes = 0
  #received = 0
  #written = 0
  #syncedUpTo = 0
  /** Calls of Node under way. */
  #calls = 0
  #isWriting = false
  #isSyncing = false
  #isComplete = false
  #isOver = false
  /** Bytes of the next `leastBytes` that have arrived. */
  #brought = 0
  /** ms waited for them, up to `#waitingSince`. */
  #waited = 0
  /** When waiting began; meaningless while the body is paused. */
  #waitingSince: number
  #idle: () => void = () => {}

  constructor(
    options: BodyToWrite,
    now: () => number,
    settle: (end: Effect.Effect<number, Failure>) => void
  ) {
    this.#options = options
    this.#now = now
    this.#settle = settle
    this.#waitingSince = now()
  }

  start(): void {
    const { body, digests } = this.#options
    for (const { onProgress } of digests) onProgress(this.#resume)
    body.on("end", this.#onEnd).on("error", this.#onGone).on("close", this.#onGone).on("data", this.#onData)
    // A stream that has already ended emits no further events.
    if (body.readableEnded) this.#onEnd()
    else if (body.destroyed) this.#onGone()
    else body.resume()
  }

  /** ms that the client was waited for. */
  waited(): number {
    if (this.#isComplete) return 0
    return this.#waited + (this.#options.body.isPaused() ? 0 : this.#now() - this.#waitingSince)
  }

  /** Stops reading, and returns when no call is under way. */
  readonly stop = Effect.callback<void>((resume) => {
    this.#leave()
    this.#idle = () => resume(Effect.void)
    this.#tellIdle()
  })

  #leave(): void {
    if (this.#isOver) return
    this.#isOver = true
    const { body } = this.#options
    body
      .off("end", this.#onEnd)
      .off("error", this.#onGone)
      .off("close", this.#onGone)
      .off("data", this.#onData)
    body.pause()
    this.#pending = []
  }

  #tellIdle(): void {
    if (this.#isOver && this.#calls === 0) this.#idle()
  }

  #end(end: Effect.Effect<number, Failure>): void {
    if (this.#isOver) return
    this.#leave()
    this.#settle(end)
  }

  readonly #onEnd = () => {
    this.#isComplete = true
    this.#write()
  }

  /** `close` also follows `end`. */
  readonly #onGone = () => {
    if (!this.#isComplete) this.#end(Effect.fail(new BodyRefused({ reason: "broken_off" })))
  }

  readonly #onData = (chunk: Uint8Array) => {
    const { limit, size } = this.#options
    this.#received += chunk.length
    if (this.#received > limit) return this.#end(Effect.fail(new FileTooLarge({ limit })))
    if (size !== undefined && this.#received > size) return this.#end(wrongSize)
    this.#count(chunk.length)
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    if (this.#isFull()) this.#pause()
    this.#write()
  }

  #count(bytes: number): void {
    this.#brought += bytes
    if (this.#brought < leastBytes) return
    this.#brought = 0
    this.#waited = 0
    this.#waitingSince = this.#now()
  }

  #pause(): void {
    this.#waited = this.waited()
    this.#options.body.pause()
  }

  #isFull(): boolean {
    return (
      this.#pendingBytes >= mostPending ||
      this.#pending.length >= mostChunks ||
      this.#options.digests.some(({ behind }) => behind() > mostBehind)
    )
  }

  readonly #resume = () => {
    const { body } = this.#options
    if (this.#isOver || !body.isPaused() || this.#isFull()) return
    this.#waitingSince = this.#now()
    body.resume()
  }

  #write(): void {
    if (this.#isWriting || this.#isOver) return
    if (this.#pendingBytes === 0) return this.#isComplete ? this.#finish() : undefined
    const chunks = this.#pending
    this.#pending = []
    this.#pendingBytes = 0
    this.#isWriting = true
    this.#writeAll(chunks, chunks)
    this.#resume()
  }

  #finish(): void {
    if (this.#isSyncing) return
    const { size } = this.#options
    this.#end(size === undefined || size === this.#written ? Effect.succeed(this.#written) : wrongSize)
  }

  /** @param left the unwritten rest of `chunks`: a full disk takes less than it is given. */
  #writeAll(chunks: ReadonlyArray<Uint8Array>, left: ReadonlyArray<Uint8Array>): void {
    const { descriptor } = this.#options
    const position = this.#written + Chunks.bytesOf(chunks) - Chunks.bytesOf(left)
    this.#calls++
    fs.writev(descriptor, left, position, (error, length) => {
      this.#calls--
      if (error !== null) this.#end(Effect.fail(FileFailure.ofNode("write a blob", error)))
      if (this.#isOver) return this.#tellIdle()
      const rest = Chunks.without(left, length)
      if (rest.length > 0) return this.#writeAll(chunks, rest)
      this.#isWriting = false
      this.#wrote(chunks)
    })
  }

  #wrote(chunks: ReadonlyArray<Uint8Array>): void {
    const { descriptor, digests } = this.#options
    const from = this.#written
    this.#written += Chunks.bytesOf(chunks)
    for (const { wrote } of digests) wrote({ chunks, descriptor, from, to: this.#written })
    Chunks.release(chunks)
    this.#syncAlongTheWay()
    this.#write()
  }

  #syncAlongTheWay(): void {
    if (this.#isSyncing || this.#written - this.#syncedUpTo < syncEvery) return
    this.#isSyncing = true
    this.#syncedUpTo = this.#written
    this.#calls++
    fs.fdatasync(this.#options.descriptor, (error) => {
      this.#calls--
      this.#isSyncing = false
      // A later sync may not report bytes that were lost.
      if (error !== null) this.#end(Effect.fail(FileFailure.ofNode("write a blob", error)))
      else this.#write()
      this.#tellIdle()
    })
  }
}

const wrongSize = Effect.fail(new BodyRefused({ reason: "wrong_size" }))

/** Waits until the client was too slow, or silent. */
const slowness = (writing: Writing): Effect.Effect<never, BodyRefused> =>
  Effect.suspend(() => {
    const left = longestWait - writing.waited()
    return left > 0
      ? Effect.andThen(Effect.sleep(Math.max(left, lookEvery)), slowness(writing))
      : Effect.fail(new BodyRefused({ reason: "timeout" }))
  })

/** Returns the written bytes. A failure stops reading at once and leaves the rest in the stream, paused. */
export const writeBody = Effect.fn("WriteBody.writeBody")(function* (
  options: BodyToWrite
): Effect.fn.Return<number, Failure> {
  const clock = yield* Clock.Clock
  const settled = yield* Deferred.make<number, Failure>()
  const writing = new Writing(
    options,
    () => MonotonicTime.millisOf(clock),
    (end) => Deferred.doneUnsafe(settled, end)
  )
  return yield* Effect.suspend(() => {
    writing.start()
    return Effect.raceFirst(Deferred.await(settled), slowness(writing))
  }).pipe(Effect.ensuring(writing.stop))
})
