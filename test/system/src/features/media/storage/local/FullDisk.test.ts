/** A full disk of 4 MiB: a file system in memory, mounted for the test. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { HashThreads } from "#src/features/media/storage/local/HashThreads.ts"
import * as Incoming from "#src/features/media/storage/local/Incoming.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as LocalNode from "#test/support/src/features/media/storage/local/LocalNode.ts"
import * as Puts from "#test/support/src/features/media/storage/local/Puts.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const MiB = 1024 * 1024

/** Other users may be allowed to use sudo without a password. */
const asRoot = (...command: ReadonlyArray<string>): boolean => {
  const [program = "", ...parameters] = process.getuid?.() === 0 ? command : ["sudo", "-n", ...command]
  return childProcess.spawnSync(program, parameters).status === 0
}

const mount = (directory: string) =>
  asRoot("mount", "-t", "tmpfs", "-o", "size=4m,mode=0777", "tmpfs", directory)

const unmount = (directory: string) => asRoot("umount", "-l", directory)

/** In a container even root may not mount anything. */
const canMount = Effect.runSync(
  Effect.scoped(Effect.map(TempDirectory.make, (directory) => mount(directory) && unmount(directory)))
)

const isMissing = process.platform !== "linux" || (!canMount && process.env["CI"] === undefined)

const named = (name: string) => (isMissing ? `${name} (needs to mount a tmpfs: root on Linux)` : name)

const smallDisk = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      fs.mkdirSync(`${directory}/blobs`)
      assert.isTrue(mount(`${directory}/blobs`))
    }),
    () => Effect.sync(() => unmount(`${directory}/blobs`))
  )
  return directory
})

describe.skipIf(isMissing)(named("A full disk"), () => {
  it.live("rejects a PUT, preserves the previous file, and accepts the next one that fits", () =>
    Effect.gen(function* () {
      const directory = yield* smallDisk
      const layer = LocalNode.onLog({ directory }).pipe(Layer.provideMerge(MemoryEventStore.layer))
      yield* Effect.gen(function* () {
        const port = yield* LocalNode.serve
        const blobs = yield* BlobStore
        const kept = Puts.pattern(MiB)
        yield* blobs.put("kept", kept)
        const target = yield* Puts.announce()
        const url = yield* Puts.urlOf(target)
        const answered = yield* Puts.put(port, url, Puts.pattern(8 * MiB))
        assert.deepInclude(answered, {
          error: "BlobStoreError",
          reason: "could not write a blob: no room is left"
        })
        const stream = Stream.fromIterable(Array.from({ length: 8 }, () => Puts.pattern(MiB)))
        assert.isTrue((yield* Effect.flip(blobs.put("large", stream))).isFull)
        assert.deepStrictEqual(Puts.underWay(directory), [])
        assert.strictEqual(Puts.openFiles(directory), 0)
        const { state } = yield* (yield* FileActors).refresh(target.id)
        assert.strictEqual(state._tag, "Pending")
        assert.isTrue(kept.equals(fs.readFileSync(`${directory}/blobs/kept`)))
        assert.strictEqual((yield* Puts.put(port, url, Puts.pattern(2 * MiB))).status, 200)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("rejects a body whose last bytes do not fit", () =>
    Effect.gen(function* () {
      const directory = `${yield* smallDisk}/blobs`
      fs.writeFileSync(`${directory}/filler`, Puts.pattern(3.5 * MiB))
      const body = new PassThrough()
      const size = 900_000
      // All in one write, of which the disk stores a part.
      body.end(Puts.pattern(size))
      const path = `${directory}/body`
      const options = { body, limit: size, size, contentMd5: undefined, path, isSha256Wanted: true }
      const refused = yield* Effect.flip(Incoming.receive(yield* HashThreads, options).pipe(Effect.scoped))
      assert.isTrue(refused._tag === "BlobStoreError" && refused.isFull)
      assert.isFalse(fs.existsSync(path))
    }).pipe(Effect.scoped, Effect.provide(HashThreads.layer))
  )
})
