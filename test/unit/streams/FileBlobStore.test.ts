import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, FileSystem, Stream } from "effect"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import { blobStoreContract } from "#test/support/streams/BlobStoreContract.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

blobStoreContract(
  "local disk",
  TempDirectory.provide((directory) => FileBlobStore.layer({ root: `${directory}/files`, isShared: false }))
)

const onDisk = <A, E>(
  body: (options: {
    readonly root: string
    readonly fs: FileSystem.FileSystem
    readonly use: <B, E2>(
      effect: Effect.Effect<B, E2, BlobStore>,
      isShared?: boolean
    ) => Effect.Effect<B, E2 | BlobStoreError>
  }) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const root = yield* TempDirectory.make
    return yield* body({
      root,
      fs,
      use: (effect, isShared = false) =>
        Effect.provide(effect, FileBlobStore.layer({ root, isShared }), { local: true })
    })
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

const put = (key: string, text: string) =>
  Effect.flatMap(BlobStore, (store) => store.put(key, new TextEncoder().encode(text)))

describe("FileBlobStore", () => {
  it.live("stores a blob at the path of its key and finds it after a restart", () =>
    onDisk(({ root, fs, use }) =>
      Effect.gen(function* () {
        yield* use(put("media/2f/picture.png", "pixels"))
        assert.strictEqual(yield* fs.readFileString(`${root}/media/2f/picture.png`), "pixels")
        assert.strictEqual(
          yield* use(Effect.flatMap(BlobStore, (store) => store.size("media/2f/picture.png"))),
          6
        )
      })
    )
  )

  it.live("leaves no temporary file behind, whether a put succeeds, fails or is interrupted", () =>
    onDisk(({ root, fs, use }) =>
      use(
        Effect.gen(function* () {
          const store = yield* BlobStore
          const underway = yield* Deferred.make<void>()
          const some = Stream.make(new Uint8Array(10_000))
          const failing = Stream.concat(some, Stream.fail(new BlobStoreError({ reason: "gone" })))
          const stalled = some.pipe(
            Stream.concat(Stream.fromEffectDrain(Deferred.succeed(underway, undefined))),
            Stream.concat(Stream.never)
          )
          yield* store.put("a/whole", some)
          yield* Effect.flip(store.put("a/failing", failing))
          const fiber = yield* Effect.forkChild(store.put("a/stalled", stalled))
          yield* Deferred.await(underway)
          assert.strictEqual((yield* fs.readDirectory(`${root}/~incoming`)).length, 1)
          yield* Fiber.interrupt(fiber)
          assert.deepStrictEqual(yield* fs.readDirectory(`${root}/~incoming`), [])
          assert.deepStrictEqual(yield* fs.readDirectory(`${root}/a`), ["whole"])
        })
      )
    )
  )

  it.live("recreates its folder if it was removed while in use", () =>
    onDisk(({ root, fs, use }) =>
      use(
        Effect.gen(function* () {
          const store = yield* BlobStore
          yield* put("a/lost", "x")
          yield* fs.remove(root, { recursive: true })
          yield* put("a/kept", "xyz")
          assert.deepStrictEqual(yield* Effect.forEach(["a/lost", "a/kept"], (key) => store.size(key)), [
            null,
            3
          ])
        })
      )
    )
  )

  it.live("removes a folder with its last blob", () =>
    onDisk(({ root, fs, use }) =>
      Effect.gen(function* () {
        yield* use(put("payloads/account/request/output", "x"))
        yield* use(put("payloads/other", "y"))
        yield* use(Effect.flatMap(BlobStore, (store) => store.remove("payloads/account/request/output")))
        assert.deepStrictEqual(yield* fs.readDirectory(`${root}/payloads`), ["other"])
      })
    )
  )

  it.live("removes unfinished files of a killed process at its start", () =>
    onDisk(({ root, fs, use }) =>
      Effect.gen(function* () {
        yield* use(put("a", "x"))
        yield* fs.writeFileString(`${root}/~incoming/left-over`, "half")
        yield* use(put("b", "y"))
        assert.deepStrictEqual(yield* fs.readDirectory(`${root}/~incoming`), [])
      })
    )
  )

  it.live("leaves files that another process is writing in a shared directory", () =>
    onDisk(({ root, fs, use }) =>
      Effect.gen(function* () {
        yield* use(put("a", "x"))
        yield* fs.writeFileString(`${root}/~incoming/fresh`, "half")
        yield* fs.writeFileString(`${root}/~incoming/abandoned`, "half")
        yield* fs.utimes(`${root}/~incoming/abandoned`, 0, 0)
        yield* use(put("b", "y"), true)
        assert.deepStrictEqual(yield* fs.readDirectory(`${root}/~incoming`), ["fresh"])
      })
    )
  )

  it.live("fails instead of ending early if a blob was replaced by one of another size before the read", () =>
    onDisk(({ use }) =>
      use(
        Effect.gen(function* () {
          yield* put("a", "a long text")
          const blob = yield* Effect.flatMap(BlobStore, (store) => store.get("a"))
          yield* put("a", "short")
          assert.instanceOf(yield* Effect.flip(Stream.runDrain(blob?.body ?? Stream.empty)), BlobStoreError)
        })
      )
    )
  )

  it.live("reports a failing disk as an error without a path", () =>
    onDisk(({ root, use }) =>
      use(
        Effect.gen(function* () {
          yield* put("a", "a file")
          const refused = yield* Effect.flip(put("a/b", "inside of a file"))
          assert.notInclude(refused.message, root)
          assert.match(refused.message, /^could not write a blob: /)
        })
      )
    )
  )
})
