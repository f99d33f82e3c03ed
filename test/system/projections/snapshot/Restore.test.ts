import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as zlib from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as RebuildLock from "#projections/rebuild/RebuildLock.ts"
import * as StoredCheckpoints from "#projections/runner/StoredCheckpoints.ts"
import type { Snapshot } from "#projections/snapshot/Snapshot.ts"
import { SnapshotPointer } from "#projections/snapshot/SnapshotPointer.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { dump } from "#test/support/projections/ReadSide.ts"
import * as RebuildLog from "#test/support/projections/rebuild/RebuildLog.ts"
import * as Nodes from "#test/support/projections/snapshot/SnapshotNodes.ts"

const namesBeside = (base: string) => fs.readdirSync(path.dirname(base)).sort()

const isMarked = (base: string) =>
  dump(Generations.current(base))["duework_depth"]?.some((row) => JSON.stringify(row).includes('"mark"'))

/** The record of the newest snapshot, changed. */
const rewrite = Effect.fnUntraced(function* (change: (snapshot: Snapshot) => Partial<Snapshot>) {
  const pointer = yield* SnapshotPointer
  const found = yield* pointer.get
  if (found === null || found.snapshots.newest === null) return yield* Effect.die("no snapshot")
  const { newest } = found.snapshots
  yield* pointer.put({ ...found.snapshots, newest: { ...newest, ...change(newest) } }, found.revision)
})

/** Another file in an intact blob. */
const repack = (key: string, file: Uint8Array) =>
  Effect.gen(function* () {
    const blob = zlib.zstdCompressSync(file)
    yield* Nodes.replaceBlob(key, () => blob)
    yield* rewrite(() => ({
      size: blob.length,
      fileSize: file.length,
      sha256: crypto.hash("sha256", blob, "hex")
    }))
  })

describe("A node that starts from a snapshot", () => {
  it.live("has the rows of a node that read the whole log, and reads only later events", () =>
    Effect.gen(function* () {
      const snapshot = yield* Nodes.takeMarked(0, 300)
      yield* RebuildLog.append(300, 400)
      const base = yield* Nodes.newBase
      assert.deepStrictEqual(yield* Nodes.restore(base), snapshot)
      assert.deepStrictEqual(namesBeside(base), ["projections.1.sqlite", "rebuild.lock"])
      const stored = StoredCheckpoints.read(Generations.current(base))
      assert.deepStrictEqual(
        [...stored].map(([name, checkpoint]) => ({ name, ...checkpoint })),
        [...snapshot.projections]
      )

      yield* Nodes.readAll(base)
      assert.isTrue(isMarked(base))
      Nodes.unmark(base)
      assert.deepStrictEqual(dump(Generations.current(base)), yield* RebuildLog.replayed())
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  it.live("removes the remains of a killed download", () =>
    Effect.gen(function* () {
      yield* Nodes.takeMarked(0, 20)
      const base = yield* Nodes.newBase
      for (const suffix of ["", "-wal"]) fs.writeFileSync(Generations.copyOf(base) + suffix, "half of a file")
      assert.isNotNull(yield* Nodes.restore(base))
      assert.deepStrictEqual(namesBeside(base), ["projections.1.sqlite", "rebuild.lock"])
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  it.live("uses the compatible part of another release's snapshot, and builds the rest from the log", () =>
    Effect.gen(function* () {
      yield* Nodes.takeMarked(0, 100)
      const raised = (names: ReadonlyArray<string>) =>
        allProjections.map((each) =>
          names.includes(each.name) ? { ...each, version: each.version + 1 } : each
        )
      const base = yield* Nodes.newBase
      assert.isNull(yield* Nodes.restore(base, raised(RebuildLog.allNames)))
      assert.isFalse(fs.existsSync(Generations.current(base)))

      const release = raised(["history", "keys"])
      assert.isNotNull(yield* Nodes.restore(base, release))
      yield* RebuildLog.append(100, 120)
      yield* Nodes.readAll(base, release)
      assert.isTrue(isMarked(base))
      Nodes.unmark(base)
      assert.deepStrictEqual(dump(Generations.current(base)), yield* RebuildLog.replayed(release))
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  it.live("builds its rows from the log if the snapshot is of another log", () =>
    Effect.gen(function* () {
      yield* Nodes.takeMarked(0, 50).pipe(Effect.provide(MemoryEventStore.layer, { local: true }))
      yield* RebuildLog.append(1_000, 1_200)
      const base = yield* Nodes.newBase
      assert.isNotNull(yield* Nodes.restore(base))
      yield* Nodes.readAll(base)
      assert.deepStrictEqual(dump(Generations.current(base)), yield* RebuildLog.replayed())
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )
})

describe("A node with read models", () => {
  it.live("keeps them if they are not far behind, and otherwise takes the snapshot", () =>
    Effect.gen(function* () {
      yield* RebuildLog.append(0, 10)
      const base = yield* Nodes.newBase
      yield* Nodes.readAll(base)
      yield* Nodes.takeMarked(10, 100)
      assert.isNull(yield* Nodes.restore(base))
      assert.strictEqual(Generations.current(base), base)

      const own = GlobalPosition.sequence(
        StoredCheckpoints.read(base).get("history")?.position ?? GlobalPosition.beginning
      )
      const at = (position: number) =>
        rewrite(({ projections }) => ({
          projections: projections.map((each) => ({
            ...each,
            position: GlobalPosition.trusted(String(position))
          }))
        }))
      yield* at(own + 50_000)
      assert.isNull(yield* Nodes.restore(base))
      yield* at(own + 50_001)
      assert.isNotNull(yield* Nodes.restore(base))
      yield* Nodes.readAll(base)
      assert.isTrue(isMarked(base))
      assert.deepStrictEqual(RebuildLog.files(base), ["projections.1.sqlite"])
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  it.live("does not disturb a rebuild in progress", () =>
    Effect.gen(function* () {
      yield* Nodes.takeMarked(0, 20)
      const base = yield* Nodes.newBase
      yield* RebuildLock.acquire(base)
      fs.writeFileSync(Generations.copyOf(base), "the copy of the rebuild")
      assert.isNull(yield* Nodes.restore(base))
      assert.strictEqual(fs.readFileSync(Generations.copyOf(base), "utf8"), "the copy of the rebuild")
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )
})

type Damage = (
  snapshot: Snapshot
) => Effect.Effect<unknown, unknown, BlobStore | SnapshotPointer | Nodes.BlobRoot>

const flip = (bytes: Buffer) => {
  const middle = Math.floor(bytes.length / 2)
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle)
  return bytes
}

const damages: Record<string, Damage> = {
  "is missing": ({ key }) => Effect.flatMap(BlobStore, ({ remove }) => remove(key)),
  "has a flipped bit": ({ key }) => Nodes.replaceBlob(key, flip),
  "ends too early": ({ key }) => Nodes.replaceBlob(key, (bytes) => bytes.subarray(0, bytes.length - 9)),
  "is empty": ({ key }) => Nodes.replaceBlob(key, () => Buffer.alloc(0)),
  "is not packed": ({ key }) => Nodes.replaceBlob(key, () => crypto.randomBytes(9_000)),
  "has another SHA-256 than was written down": () => rewrite(() => ({ sha256: "0".repeat(64) })),
  "has another size than was written down": () => rewrite(({ size }) => ({ size: size + 1 })),
  "unpacks to less than was written down": () => rewrite(({ fileSize }) => ({ fileSize: fileSize + 1 })),
  "unpacks to more than was written down": () => rewrite(({ fileSize }) => ({ fileSize: fileSize - 1 })),
  "holds no database": ({ key }) => repack(key, crypto.randomBytes(50_000)),
  "holds a database with a damaged page": ({ key }) =>
    Effect.flatMap(Nodes.BlobRoot, (root) => {
      const file = zlib.zstdDecompressSync(fs.readFileSync(`${root}/${key}`))
      return repack(key, file.fill(0xff, 4_096 * 3, 4_096 * 4))
    })
}

describe("A snapshot", () => {
  for (const [what, damage] of Object.entries(damages)) {
    it.live(`that ${what} is not used; the previous one or the log is`, () =>
      Effect.gen(function* () {
        const before = yield* Nodes.takeMarked(0, 40)
        yield* damage(yield* Nodes.takeMarked(40, 80))
        const first = yield* Nodes.newBase
        assert.deepStrictEqual(yield* Nodes.restore(first), before)

        yield* (yield* BlobStore).remove(before.key)
        const second = yield* Nodes.newBase
        assert.isNull(yield* Nodes.restore(second))
        assert.deepStrictEqual(namesBeside(second), ["rebuild.lock"])
        yield* Nodes.readAll(second)
        assert.deepStrictEqual(dump(Generations.current(second)), yield* RebuildLog.replayed())
      }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
    )
  }

  it.live("that is not used leaves nothing behind", () =>
    Effect.gen(function* () {
      const { key } = yield* Nodes.takeMarked(0, 40)
      yield* Nodes.replaceBlob(key, flip)
      const base = yield* Nodes.newBase
      assert.isNull(yield* Nodes.restore(base))
      assert.deepStrictEqual(namesBeside(base), ["rebuild.lock"])
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  it.live("that was never taken delays no start", () =>
    Effect.gen(function* () {
      const base = yield* Nodes.newBase
      assert.isNull(yield* Nodes.restore(base))
      assert.deepStrictEqual(namesBeside(base), [])
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )
})
