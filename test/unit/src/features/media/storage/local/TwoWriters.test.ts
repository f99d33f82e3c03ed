/** Several PUTs to one URL, on one node and on two that share a folder and a log. */
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import type { FileId } from "#domain/Ids.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import { UploadStore } from "#src/features/media/storage/UploadStore.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as LocalNode from "#test/support/src/features/media/storage/local/LocalNode.ts"
import * as Puts from "#test/support/src/features/media/storage/local/Puts.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Until from "#test/support/Until.ts"

const MiB = 1024 * 1024

const blobAt = (directory: string, id: FileId) => `${directory}/blobs/media/${id}`

const storedOf = (id: FileId) =>
  Effect.gen(function* () {
    const { state } = yield* (yield* FileActors).refresh(id)
    return state._tag === "Present" ? state.stored : null
  })

const twoNodes = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  const log = yield* Layer.build(MemoryEventStore.layer)
  const start = Effect.gen(function* () {
    const node = yield* Layer.build(
      LocalNode.onLog({ directory, isShared: true }).pipe(Layer.provideMerge(Layer.succeedContext(log)))
    )
    const port = yield* Effect.provideContext(LocalNode.serve, node)
    return { node, port }
  })
  return { directory, nodes: [yield* start, yield* start] as const }
})

describe("Several PUTs to one URL", () => {
  it.live("leave one whole body, as recorded, whichever of two nodes receives which", () =>
    Effect.gen(function* () {
      const { directory, nodes } = yield* twoNodes
      const [{ node }] = nodes
      for (let round = 0; round < 20; round++) {
        const target = yield* Effect.provideContext(Puts.announce(), node)
        const url = yield* Effect.provideContext(Puts.urlOf(target), node)
        // Every second time with equal sizes, so that only the bytes differ.
        const bodies = Array.from({ length: 6 }, (_, seed) =>
          Puts.pattern(MiB + (round % 2 === 0 ? seed % 3 : 0), seed % 3)
        )
        const answers = yield* Effect.forEach(
          bodies,
          (body, index) => Puts.put(nodes[index % 2 === 0 ? 0 : 1].port, url, body),
          { concurrency: "unbounded" }
        )
        const kept = fs.readFileSync(blobAt(directory, target.id))
        const stored = yield* Effect.provideContext(storedOf(target.id), nodes[1].node)
        assert.deepStrictEqual(stored, {
          size: kept.length,
          etag: Puts.md5(kept),
          sha256: Puts.sha256(kept)
        })
        for (const [index, answer] of answers.entries()) {
          const isKept = bodies[index]?.equals(kept) === true
          const expected = isKept
            ? { status: 200, etag: `"${Puts.md5(kept)}"` }
            : { error: "AlreadyUploaded" }
          assert.deepInclude(answer, expected, `round ${round}, body ${index}`)
        }
        assert.strictEqual(answers.filter(({ status }) => status === 200).length, 2)
      }
      assert.deepStrictEqual(Puts.underWay(directory), [])
    }).pipe(Effect.scoped)
  )

  it.live("return the same answer later, without a change of the file", () =>
    Effect.gen(function* () {
      const directory = yield* LocalNode.Directory
      const port = yield* LocalNode.serve
      const target = yield* Puts.announce()
      const url = yield* Puts.urlOf(target)
      const bytes = Puts.pattern(100)
      const first = yield* Puts.put(port, url, bytes)
      const { ino } = fs.statSync(blobAt(directory, target.id))
      assert.deepStrictEqual(yield* Puts.put(port, url, bytes), first)
      for (const other of [Puts.pattern(100, 1), Puts.pattern(99)])
        assert.strictEqual((yield* Puts.put(port, url, other)).error, "AlreadyUploaded")
      assert.strictEqual(fs.statSync(blobAt(directory, target.id)).ino, ino)
    }).pipe(Effect.scoped, Effect.provide(LocalNode.layer()))
  )

  it.live("find the bytes of a writer that died before recording them, and record those", () =>
    Effect.gen(function* () {
      const directory = yield* LocalNode.Directory
      const port = yield* LocalNode.serve
      const bytes = Puts.pattern(2 * MiB)
      const leave = (id: FileId) => {
        fs.mkdirSync(`${directory}/blobs/media`, { recursive: true })
        fs.writeFileSync(blobAt(directory, id), bytes)
      }
      const same = yield* Puts.announce()
      leave(same.id)
      assert.strictEqual((yield* Puts.put(port, yield* Puts.urlOf(same), bytes)).status, 200)
      const other = yield* Puts.announce()
      leave(other.id)
      const answered = yield* Puts.put(port, yield* Puts.urlOf(other), Puts.pattern(2 * MiB, 1))
      assert.strictEqual(answered.error, "AlreadyUploaded")
      for (const { id } of [same, other]) {
        assert.deepStrictEqual(yield* storedOf(id), {
          size: bytes.length,
          etag: Puts.md5(bytes),
          sha256: Puts.sha256(bytes)
        })
        assert.isTrue(bytes.equals(fs.readFileSync(blobAt(directory, id))))
      }
    }).pipe(Effect.scoped, Effect.provide(LocalNode.layer()))
  )

  it.live("leave nothing of a file that is deleted meanwhile", () =>
    Effect.gen(function* () {
      const directory = yield* LocalNode.Directory
      const port = yield* LocalNode.serve
      const single = yield* Puts.announce()
      const uploadId = yield* Effect.flatMap(UploadStore, ({ begin }) => begin(single))
      const parts = yield* Puts.announce({ uploadId })
      const urls = [yield* Puts.urlOf(single), yield* Puts.partUrlOf(parts, uploadId, 1)]
      const headers = { "content-type": Puts.contentType, "content-length": 2 * MiB }
      const sendings = urls.map((url) => Puts.begin(port, url, headers))
      for (const { request } of sendings) request.write(Puts.pattern(MiB))
      yield* Until.holds(
        "the uploads under way",
        () => Puts.underWay(directory).length === 2,
        () => Puts.underWay(directory)
      )
      const { execute } = yield* FileActors
      const at = yield* Clock.currentTimeMillis
      for (const { id } of [single, parts]) yield* execute(id, { _tag: "Delete", at, reason: "requested" })
      for (const { request } of sendings) request.end(Puts.pattern(MiB))
      for (const { answered } of sendings)
        assert.strictEqual((yield* Effect.promise(() => answered)).error, "FileGone")
      assert.isFalse(fs.existsSync(`${directory}/blobs/media`))
      for (const url of urls)
        assert.strictEqual((yield* Puts.put(port, url, Puts.pattern(1))).error, "FileGone")
    }).pipe(Effect.scoped, Effect.provide(LocalNode.layer()))
  )
})
