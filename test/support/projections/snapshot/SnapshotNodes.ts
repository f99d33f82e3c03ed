/** Nodes over one log in memory that share a blob folder and the record of snapshots. */
import * as fs from "node:fs"
import { Context, Effect, Layer } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import type { Projection } from "#projections/Projection.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as Restore from "#projections/snapshot/Restore.ts"
import { SnapshotPointer } from "#projections/snapshot/SnapshotPointer.ts"
import * as Take from "#projections/snapshot/Take.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { settle } from "#test/support/projections/ReadSide.ts"
import * as RebuildLog from "#test/support/projections/rebuild/RebuildLog.ts"

/** The folder of the blobs. */
export class BlobRoot extends Context.Service<BlobRoot, string>()("inferlog/test/BlobRoot") {}

export const shared = TempDirectory.provide((root) =>
  Layer.mergeAll(
    FileBlobStore.layer({ root, isShared: true }),
    SnapshotPointer.layerMemory,
    Layer.succeed(BlobRoot, root)
  )
)

export const layer = Layer.mergeAll(shared, MemoryEventStore.layer)

/** The path of a node's read models. */
export const newBase = Effect.map(TempDirectory.make, Generations.baseIn)

export const settleAll = Effect.forEach(RebuildLog.allNames, settle, { discard: true })

/** Runs a node until it has read the whole log. */
export const readAll = (base: string, projections: ReadonlyArray<Projection> = allProjections) =>
  Effect.forEach(projections, ({ name }) => settle(name), { discard: true }).pipe(
    Effect.provide(RebuildLog.readSide(base, projections), { local: true })
  )

let taken = 0

export const take = (base: string) =>
  Effect.flatMap(TempDirectory.make, (directory) =>
    Take.run({ filename: Generations.current(base), directory, id: `s${taken++}` })
  ).pipe(Effect.scoped)

/** Appends `requests` requests and takes a snapshot on a separate node, whose rows have a mark that no replay makes. */
export const takeMarked = Effect.fnUntraced(function* (from: number, to: number) {
  yield* RebuildLog.append(from, to)
  const base = yield* newBase
  yield* readAll(base)
  RebuildLog.damage(base, "INSERT INTO duework_depth VALUES ('mark', 1)")
  return yield* take(base)
}, Effect.scoped)

export const unmark = (base: string) =>
  RebuildLog.damage(base, "DELETE FROM duework_depth WHERE model = 'mark'")

export const restore = (base: string, projections: ReadonlyArray<Projection> = allProjections) =>
  Restore.run({ base, projections })

export const record = Effect.flatMap(SnapshotPointer, ({ get }) =>
  Effect.map(get, (found) => found?.snapshots ?? null)
)

/** Keys of the snapshots in the store. */
export const blobKeys = Effect.map(BlobRoot, (root) =>
  fs.existsSync(`${root}/snapshots`)
    ? fs
        .readdirSync(`${root}/snapshots`)
        .map((name) => `snapshots/${name}`)
        .sort()
    : []
)

export const replaceBlob = Effect.fnUntraced(function* (key: string, change: (bytes: Buffer) => Buffer) {
  const root = yield* BlobRoot
  const changed = change(fs.readFileSync(`${root}/${key}`))
  yield* (yield* BlobStore).put(key, changed)
})
