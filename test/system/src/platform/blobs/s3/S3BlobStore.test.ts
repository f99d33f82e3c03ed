/** @cost A page of a listing has 1,000 blobs and a part of an upload 5 MiB, by S3's rules. */
import {
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as S3BlobStore from "#src/platform/blobs/s3/S3BlobStore.ts"
import type { S3Options } from "#src/platform/blobs/s3/S3Options.ts"
import { blobStoreContract } from "#test/support/streams/BlobStoreContract.ts"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as S3Server from "#test/support/servers/S3Server.ts"
import * as TestBucket from "#test/support/src/platform/blobs/s3/TestBucket.ts"

const MiB = 1024 * 1024

/** Bytes that depend on their position, so that a misplaced part is detected. */
const pattern = (length: number) =>
  Buffer.from(Uint32Array.from({ length: Math.ceil(length / 4) }, (_, index) => index).buffer).subarray(
    0,
    length
  )

const chunked = (bytes: Uint8Array, chunkSize: number) =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) =>
      bytes.subarray(index * chunkSize, (index + 1) * chunkSize)
    )
  )

const read = (key: string) =>
  Effect.gen(function* () {
    const blob = yield* (yield* BlobStore).get(key)
    return blob === null ? null : Buffer.from(yield* Stream.mkUint8Array(blob.body))
  })

interface Inside {
  readonly store: BlobStore["Service"]
  readonly options: S3Options
  readonly client: S3Client
  /** Uploads in parts that are neither complete nor aborted. */
  readonly unfinished: Effect.Effect<number>
}

/** With a separate bucket, and a client beside the store. */
const inside = <A, E>(body: (inside: Inside) => Effect.Effect<A, E, BlobStore>, query?: string) =>
  Effect.gen(function* () {
    const options = yield* TestBucket.options(query)
    const client = yield* S3Server.clientOf(yield* S3Server.shared)
    const list = new ListMultipartUploadsCommand({ Bucket: options.bucket })
    const unfinished = Effect.map(
      Effect.promise(() => client.send(list)),
      ({ Uploads = [] }) => Uploads.length
    )
    return yield* Effect.flatMap(BlobStore, (store) => body({ store, options, client, unfinished })).pipe(
      Effect.provide(S3BlobStore.layer(options))
    )
  }).pipe(Effect.scoped)

describe.skipIf(S3Programs.isMissing)(S3Programs.named("S3"), () => {
  blobStoreContract("a bucket of S3", TestBucket.provide(S3BlobStore.layer))

  describe("S3BlobStore", () => {
    it.live("uploads bodies larger than a part in parts, and returns the etag with what it reads", () =>
      inside(({ store, unfinished }) =>
        Effect.gen(function* () {
          const bytes = pattern(45 * MiB + 3)
          for (const body of [chunked(bytes, 100_000), bytes, Stream.make(bytes)]) {
            assert.strictEqual(yield* store.put("big", body), bytes.length)
            const blob = yield* store.get("big", { start: 8 * MiB - 1, length: 3 })
            assert.strictEqual(blob?.size, bytes.length)
            assert.match(blob?.etag ?? "", /^[0-9a-f]{32}-6$/)
            assert.isTrue(bytes.equals((yield* read("big")) ?? Buffer.of()))
          }
          assert.strictEqual(yield* unfinished, 0)
        })
      )
    )

    it.live.each([8 * MiB - 1, 8 * MiB, 8 * MiB + 1, 16 * MiB])("stores a body of %i bytes", (length) =>
      inside(({ store, unfinished }) =>
        Effect.gen(function* () {
          const bytes = pattern(length)
          assert.strictEqual(yield* store.put("edge", chunked(bytes, 65_536)), length)
          assert.isTrue(bytes.equals((yield* read("edge")) ?? Buffer.of()))
          assert.strictEqual(yield* unfinished, 0)
        })
      )
    )

    it.live("keeps the old blob and no parts when a body of several parts fails", () =>
      inside(({ store, unfinished }) =>
        Effect.gen(function* () {
          yield* store.put("kept", Buffer.from("old"))
          const failing = Stream.concat(
            chunked(pattern(20 * MiB), 65_536),
            Stream.fail(new BlobStoreError({ reason: "the sender is gone" }))
          )
          assert.strictEqual((yield* Effect.flip(store.put("kept", failing))).reason, "the sender is gone")
          assert.strictEqual(String(yield* read("kept")), "old")
          assert.strictEqual(yield* unfinished, 0)
        })
      )
    )

    it.live("leaves no parts when a put is interrupted among them", () =>
      inside(({ store, unfinished }) =>
        Effect.gen(function* () {
          const underway = yield* Deferred.make<void>()
          const stalled = chunked(pattern(28 * MiB), 65_536).pipe(
            Stream.concat(Stream.fromEffectDrain(Deferred.succeed(underway, undefined))),
            Stream.concat(Stream.never)
          )
          const fiber = yield* Effect.forkChild(store.put("stalled", stalled))
          yield* Deferred.await(underway)
          assert.strictEqual(yield* unfinished, 1)
          yield* Fiber.interrupt(fiber)
          assert.strictEqual(yield* unfinished, 0)
          assert.isNull(yield* store.get("stalled"))
        })
      )
    )

    it.live("lists more blobs than S3 returns in one answer", () =>
      inside(({ store }) =>
        Effect.gen(function* () {
          const keys = Array.from({ length: 1_003 }, (_, index) => `many/${index + 1_000}`)
          yield* Effect.forEach(keys, (key) => store.put(key, Buffer.from("x")), { concurrency: 16 })
          const listed = yield* Stream.runCollect(store.list("many"))
          assert.deepStrictEqual(
            listed.map(({ key }) => key),
            keys
          )
        })
      )
    )

    it.live("ignores keys without its prefix", () =>
      inside(
        ({ client, options: { bucket }, store }) =>
          Effect.gen(function* () {
            const others = ["a/b", "some/where", "some/where/a/~b", "some/wherever/a/b"]
            yield* Effect.forEach(others, (Key) =>
              Effect.promise(() => client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: "theirs" })))
            )
            assert.isNull(yield* store.get("a/b"))
            yield* store.put("a/c", Buffer.from("ours"))
            assert.strictEqual(String(yield* read("a/c")), "ours")
            assert.deepStrictEqual(yield* Stream.runCollect(store.list("a")), [{ key: "a/c", size: 4 }])
            yield* store.remove("a/c")
            const left = yield* Effect.promise(() =>
              client.send(new ListObjectsV2Command({ Bucket: bucket }))
            )
            assert.deepStrictEqual(
              (left.Contents ?? []).map(({ Key }) => Key),
              others.toSorted()
            )
          }),
        "&prefix=some/where"
      )
    )

    it.live("reads a body again on every run", () =>
      inside(({ store }) =>
        Effect.gen(function* () {
          yield* store.put("a", Buffer.from("text"))
          const { body } = (yield* store.get("a")) ?? { body: Stream.empty }
          assert.strictEqual(String(Buffer.from(yield* Stream.mkUint8Array(body))), "text")
          assert.strictEqual(String(Buffer.from(yield* Stream.mkUint8Array(body))), "text")
        })
      )
    )

    it.live("fails when a blob was replaced or removed before it is read", () =>
      inside(({ store }) =>
        Effect.gen(function* () {
          yield* store.put("a", Buffer.from("first"))
          const { body } = (yield* store.get("a")) ?? { body: Stream.empty }
          yield* store.put("a", Buffer.from("other"))
          const replaced = yield* Effect.flip(Stream.runDrain(body))
          assert.strictEqual(
            replaced.reason,
            "could not read a blob: the blob was replaced before it was read"
          )
          yield* store.remove("a")
          const removed = yield* Effect.flip(Stream.runDrain(body))
          assert.strictEqual(removed.reason, "the blob was removed before it was read")
        })
      )
    )
  })
})
