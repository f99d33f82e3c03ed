import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Generations from "#projections/rebuild/Generations.ts"
import { Lease } from "#src/platform/cluster/Lease.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { SnapshotReactor } from "#src/platform/snapshots/SnapshotReactor.ts"
import * as StartFromSnapshot from "#src/platform/snapshots/StartFromSnapshot.ts"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import { dump } from "#test/support/projections/ReadSide.ts"
import * as RebuildLog from "#test/support/projections/rebuild/RebuildLog.ts"
import * as Nodes from "#test/support/projections/snapshot/SnapshotNodes.ts"
import * as Scratch from "#test/support/Scratch.ts"
import * as Until from "#test/support/Until.ts"

/** Enough requests to have 1,000 events. */
const enough = 400

/** A node at the end of the log that looks by itself or on request; `holds` says whether it has the lease. */
const node = (holds: Ref.Ref<boolean>) =>
  Effect.map(Nodes.newBase, (base) => {
    const ground = Layer.mergeAll(
      RebuildLog.readSide(base),
      Scratch.layer,
      IdGenerator.layer,
      Layer.succeed(Lease, { isHeld: Ref.get(holds), gains: Stream.never })
    )
    return {
      asked: SnapshotReactor.layerNoReactor().pipe(Layer.provideMerge(ground)),
      byItself: SnapshotReactor.layer().pipe(Layer.provideMerge(ground))
    }
  })

const pass = Effect.flatMap(SnapshotReactor, (reactor) => reactor.pass)

/** Waits until a snapshot other than `known` is recorded, and returns its key. */
const untilNewer = (known: string | null) =>
  Until.until(
    "a newer snapshot",
    Effect.map(Nodes.record, (found) => found?.newest?.key ?? null),
    (key): key is string => key !== null && key !== known
  )

describe("A node", () => {
  it.effect("creates a snapshot when it holds the lease, an hour has passed and the log has grown", () =>
    Effect.gen(function* () {
      const holds = yield* Ref.make(false)
      const { asked } = yield* node(holds)
      yield* Effect.gen(function* () {
        yield* RebuildLog.append(0, 100)
        yield* Nodes.settleAll
        yield* Ref.set(holds, true)
        assert.isNull(yield* pass)
        yield* RebuildLog.append(100, enough)
        yield* Nodes.settleAll
        yield* Ref.set(holds, false)
        assert.isNull(yield* pass)
        yield* Ref.set(holds, true)
        const first = yield* pass
        assert.isNotNull(first)

        yield* RebuildLog.append(enough, 2 * enough)
        yield* Nodes.settleAll
        assert.isNull(yield* pass)
        yield* TestClock.adjust("59 minutes")
        assert.isNull(yield* pass)
        yield* TestClock.adjust("1 minute")
        const second = yield* pass
        assert.isNotNull(second)
        assert.notStrictEqual(second?.key, first?.key)

        yield* TestClock.adjust("2 hours")
        assert.isNull(yield* pass)
      }).pipe(Effect.provide(asked))
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  it.effect("counts the hour from when another node took the newest snapshot", () =>
    Effect.gen(function* () {
      const { asked } = yield* node(yield* Ref.make(true))
      yield* Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        yield* Nodes.takeMarked(0, 10)
        yield* TestClock.adjust("40 minutes")
        yield* RebuildLog.append(10, enough)
        yield* Nodes.settleAll
        assert.isNull(yield* pass)
        yield* TestClock.adjust("19 minutes")
        assert.isNull(yield* pass)
        yield* TestClock.adjust("1 minute")
        assert.isNotNull(yield* pass)
      }).pipe(Effect.provide(asked))
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  it.effect("checks a minute after its start, and when the newest snapshot is an hour old", () =>
    Effect.gen(function* () {
      yield* RebuildLog.append(0, enough)
      const { byItself } = yield* node(yield* Ref.make(true))
      yield* Effect.gen(function* () {
        yield* Nodes.settleAll
        yield* TestClock.adjust("59 seconds")
        assert.isNull(yield* Nodes.record)
        yield* TestClock.adjust("1 second")
        const first = yield* untilNewer(null)
        yield* RebuildLog.append(enough, 2 * enough)
        yield* Nodes.settleAll
        yield* TestClock.adjust("61 minutes")
        yield* untilNewer(first)
      }).pipe(Effect.provide(byItself))
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  it.effect("retries ten minutes after the store has failed", () =>
    Effect.gen(function* () {
      yield* RebuildLog.append(0, enough)
      const failures = yield* Ref.make(0)
      const failing = Layer.effect(
        BlobStore,
        Effect.map(BlobStore, (blobs) => ({
          ...blobs,
          put: (key: string, body: Stream.Stream<Uint8Array, BlobStoreError> | Uint8Array) =>
            Effect.flatMap(
              Ref.updateAndGet(failures, (count) => count + 1),
              (count) =>
                count === 1
                  ? Effect.fail(new BlobStoreError({ reason: "The store of the test is full" }))
                  : blobs.put(key, body)
            )
        }))
      )
      const { byItself } = yield* node(yield* Ref.make(true))
      yield* Effect.gen(function* () {
        yield* Nodes.settleAll
        yield* TestClock.adjust("1 minute")
        yield* Until.until("a failure", Ref.get(failures), (count) => count > 0)
        assert.isNull((yield* Nodes.record)?.newest ?? null)
        yield* TestClock.adjust("10 minutes")
        const key = yield* untilNewer(null)
        assert.deepStrictEqual(yield* Nodes.blobKeys, [key])
      }).pipe(Effect.provide(byItself.pipe(Layer.provide(failing))))
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  it.live("that starts loads the snapshot, if any, before its read models are opened", () =>
    Effect.gen(function* () {
      const base = yield* Nodes.newBase
      const directory = DataDirectory.layerAt(path.dirname(base))
      const start = Nodes.settleAll.pipe(
        Effect.provide(
          RebuildLog.readSide(base).pipe(Layer.provide(StartFromSnapshot.layer), Layer.provide(directory)),
          { local: true }
        ),
        Effect.andThen(Effect.sync(() => dump(Generations.current(base))["duework_depth"] ?? []))
      )
      const snapshot = yield* Nodes.takeMarked(0, 30)
      const marked = yield* start
      assert.lengthOf(marked, 2)

      for (const suffix of ["", "-wal", "-shm"]) {
        fs.rmSync(Generations.current(base) + suffix, { force: true })
      }
      yield* (yield* BlobStore).remove(snapshot.key)
      assert.lengthOf(yield* start, 1)
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )
})
