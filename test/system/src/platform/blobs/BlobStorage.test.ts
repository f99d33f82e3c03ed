import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { BlobStore } from "#streams/BlobStore.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as S3Server from "#test/support/servers/S3Server.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestBucket from "#test/support/src/platform/blobs/s3/TestBucket.ts"

const settings = (values: Readonly<Record<string, string>>) =>
  ConfigProvider.layer(ConfigProvider.fromUnknown(values))

const put = Effect.flatMap(BlobStore, (store) => store.put("a/blob", Buffer.from("bytes")))
const size = Effect.flatMap(BlobStore, (store) => store.size("a/blob"))

/** The store of a node. */
const storeOf = (dataDirectory: string, values: Readonly<Record<string, string>>) =>
  BlobStorage.layer.pipe(
    Layer.provide(Layer.succeed(DataDirectory, dataDirectory)),
    Layer.provide(settings(values))
  )

const chosen = (values: Readonly<Record<string, string>>) =>
  Effect.provide(BlobStorage.blobStore.config, settings(values))

describe("BLOB_STORE", () => {
  it.effect("is the data directory by default, a folder or a bucket", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* chosen({}), { _tag: "File", folder: null })
      assert.deepStrictEqual(yield* chosen({ BLOB_STORE: "file" }), { _tag: "File", folder: null })
      assert.deepStrictEqual(yield* chosen({ BLOB_STORE: "file:///srv/b%20c" }), {
        _tag: "File",
        folder: "/srv/b c"
      })
      const bucket = yield* chosen({ BLOB_STORE: "s3://bucket?region=eu" })
      assert.isTrue(
        bucket._tag === "S3" && bucket.options.bucket === "bucket" && bucket.options.region === "eu"
      )
    })
  )

  it.effect.each([
    "hunter2",
    "file://hunter2",
    "file:///hunter2%2f",
    "S3://hunter2",
    "s3:hunter2",
    "s3://hunter2!"
  ])("rejects %s", (BLOB_STORE) => Effect.flip(chosen({ BLOB_STORE })))

  it.effect("reports an unknown option at the start, without its value", () =>
    Effect.gen(function* () {
      const parent = yield* TempDirectory.make
      const DATA_DIR = path.join(parent, "data")
      const BLOB_STORE = "s3://bucket?endpont=http://hunter2"
      const { code, stderr } = yield* Inferlog.run(["serve"], { DATA_DIR, BLOB_STORE })
      assert.strictEqual(code, 1)
      assert.match(stderr, /^inferlog: BLOB_STORE: Expected file, [^\n]+: endpont is no option\n$/)
      assert.notInclude(stderr, "hunter2")
      assert.isFalse(fs.existsSync(DATA_DIR))
    })
  )

  it.live("stores blobs at its location", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const folder = yield* TempDirectory.make
      yield* Effect.provide(put, storeOf(directory, {}))
      yield* Effect.provide(put, storeOf(directory, { BLOB_STORE: `file://${folder}` }))
      assert.strictEqual(fs.readFileSync(path.join(directory, "blobs/a/blob"), "utf8"), "bytes")
      assert.strictEqual(fs.readFileSync(path.join(folder, "a/blob"), "utf8"), "bytes")
    })
  )

  it.effect("must be shareable where nodes share a log", () => {
    const check = (BLOB_STORE: string) =>
      Effect.provide(BlobStorage.checkShared, settings({ EVENT_STORE: "nats://127.0.0.1", BLOB_STORE }))
    return Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(check("file")))._tag, "BlobStoreNotShared")
      yield* check("file:///srv/blobs")
      yield* check("s3://bucket")
      yield* Effect.provide(BlobStorage.checkShared, settings({ BLOB_STORE: "file" }))
    })
  })
})

describe.skipIf(S3Programs.isMissing)(S3Programs.named("BLOB_STORE=s3://…"), () => {
  it.live("stores blobs in the bucket, where other nodes and commands find them", () =>
    Effect.gen(function* () {
      const { bucket } = yield* TestBucket.options()
      const BLOB_STORE = S3Server.blobStore(yield* S3Server.shared, bucket)
      const [first, second] = [yield* TempDirectory.make, yield* TempDirectory.make]
      yield* Effect.provide(put, storeOf(first, { BLOB_STORE }))
      assert.strictEqual(yield* Effect.provide(size, storeOf(second, { BLOB_STORE })), 5)
      const beside = BlobStorage.layerOf(yield* chosen({ BLOB_STORE }), {
        dataDirectory: second,
        isBeside: true
      })
      assert.strictEqual(yield* Effect.provide(size, beside), 5)
      assert.deepStrictEqual([fs.readdirSync(first), fs.readdirSync(second)], [[], []])
    })
  )

  it.live("stops the server at its start, with advice, when the bucket cannot be used", () =>
    Effect.gen(function* () {
      const { url } = yield* S3Server.shared
      const DATA_DIR = path.join(yield* TempDirectory.make, "data")
      const { code, stderr } = yield* Inferlog.run(["serve"], {
        ...S3Server.credentials,
        DATA_DIR,
        BLOB_STORE: `s3://no-such-bucket?endpoint=${url}`
      })
      assert.strictEqual(code, 1)
      assert.include(
        stderr,
        "inferlog: BLOB_STORE: could not use the bucket: the bucket does not exist: make it, or correct its name\n"
      )
      assert.notInclude(stderr, S3Server.credentials.AWS_SECRET_ACCESS_KEY)
    })
  )
})
