import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { Projections } from "#projections/Projections.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Take from "#projections/snapshot/Take.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { dump } from "#test/support/projections/ReadSide.ts"
import * as RebuildLog from "#test/support/projections/rebuild/RebuildLog.ts"
import * as Faults from "#test/support/projections/snapshot/Faults.ts"
import * as Nodes from "#test/support/projections/snapshot/SnapshotNodes.ts"

/** The store has exactly what a node can restore. */
const assertTidy = Effect.gen(function* () {
  const found = yield* Nodes.record
  const keys = [found?.newest, found?.before].flatMap((each) => (each ? [each.key] : []))
  assert.deepStrictEqual(yield* Nodes.blobKeys, keys.sort())
})

const restores = Effect.gen(function* () {
  const base = yield* Nodes.newBase
  const restored = yield* Nodes.restore(base)
  yield* Nodes.readAll(base)
  assert.deepStrictEqual(dump(Generations.current(base)), yield* RebuildLog.replayed())
  return restored
})

describe("A snapshot that is taken", () => {
  it.live("leaves only the previous one, in the store and on the disk", () =>
    Effect.gen(function* () {
      const scratch = yield* TempDirectory.make
      const base = yield* Nodes.newBase
      yield* RebuildLog.append(0, 30)
      yield* Nodes.readAll(base)
      const anchor = { position: GlobalPosition.trusted("30"), digest: "digest" }
      const taken = yield* Effect.forEach(["s-1", "s-2", "s-3", "s-4"], (id) =>
        Take.run({
          filename: base,
          directory: scratch,
          id,
          anchor: Effect.succeed(anchor)
        })
      )
      const found = yield* Nodes.record
      assert.deepStrictEqual([found?.before, found?.newest], taken.slice(2))
      assert.deepStrictEqual(taken[3]?.anchor, anchor)
      yield* assertTidy
      assert.deepStrictEqual(fs.readdirSync(scratch), [])
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  it.live("is not taken of a damaged file", () =>
    Effect.gen(function* () {
      yield* RebuildLog.append(0, 30)
      const base = yield* Nodes.newBase
      yield* Nodes.readAll(base)
      const bytes = fs.readFileSync(base)
      fs.writeFileSync(base, bytes.fill(0xff, 4_096 * 5, 4_096 * 6))
      assert.strictEqual((yield* Effect.flip(Nodes.take(base)))._tag, "SnapshotDamaged")
      assert.isNull(yield* Nodes.record)
      assert.deepStrictEqual(yield* Nodes.blobKeys, [])
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  it.live("beside another node's leaves an intact one and no surplus blobs", () =>
    Effect.gen(function* () {
      yield* RebuildLog.append(0, 30)
      const bases = yield* Effect.forEach([1, 2, 3], () =>
        Effect.tap(Nodes.newBase, (base) => Nodes.readAll(base))
      )
      yield* Nodes.take(bases[0] ?? "")
      for (let round = 0; round < 3; round++) {
        const exits = yield* Effect.forEach(bases, (base) => Effect.exit(Nodes.take(base)), {
          concurrency: "unbounded"
        })
        assert.isTrue(exits.some(Exit.isSuccess))
        assert.isNotNull(yield* restores)
      }
      yield* Nodes.take(bases[1] ?? "")
      yield* assertTidy
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  it.live("loses no blob to a concurrent clean-up by another node", () =>
    Effect.gen(function* () {
      yield* RebuildLog.append(0, 30)
      const base = yield* Nodes.newBase
      yield* Nodes.readAll(base)
      yield* Nodes.take(base)
      const blobs = yield* BlobStore
      const uploaded = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const held = BlobStore.of({
        ...blobs,
        put: (key, body) =>
          Effect.tap(blobs.put(key, body), () =>
            Effect.andThen(Deferred.succeed(uploaded, undefined), Deferred.await(goOn))
          )
      })
      const first = yield* Effect.forkChild(Effect.provideService(Nodes.take(base), BlobStore, held))
      yield* Deferred.await(uploaded)
      const late = BlobStore.of({
        ...blobs,
        remove: (key) =>
          Effect.andThen(
            Effect.andThen(Deferred.succeed(goOn, undefined), Fiber.await(first)),
            blobs.remove(key)
          )
      })
      yield* Effect.provideService(Nodes.take(base), BlobStore, late)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(first)))
      yield* assertTidy
      assert.isNotNull(yield* restores)
    }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
  )

  for (const { older, writes } of [
    { older: 0, writes: 3 },
    { older: 3, writes: 5 }
  ]) {
    it.live(
      `after ${older} others may be killed at any step: the store stays valid, and the next one cleans up`,
      () =>
        Effect.gen(function* () {
          yield* RebuildLog.append(0, 30)
          const base = yield* Nodes.newBase
          yield* Nodes.readAll(base)

          const die = (death: Faults.Death) =>
            Effect.gen(function* () {
              for (let round = 0; round < older; round++) yield* Nodes.take(base)
              const count = { writes: 0 }
              const exit = yield* Nodes.take(base).pipe(
                Effect.provide(Faults.layer(death, count), { local: true }),
                Effect.exit
              )
              assert.isTrue(Exit.isFailure(exit))
              assert.strictEqual(count.writes, death.at + 1)
              const isWritten = death.at > 2 || (death.at === 2 && death.when === "after")
              assert.strictEqual((yield* restores) !== null, older > 0 || isWritten)
              yield* Nodes.take(base)
              yield* assertTidy
            }).pipe(Effect.provide(Nodes.shared, { local: true }))

          for (let at = 0; at < writes; at++) {
            yield* die({ at, when: "before" })
            yield* die({ at, when: "after" })
          }
        }).pipe(Effect.scoped, Effect.provide(Nodes.layer))
    )
  }

  it.live("during work of the projections' thread shows one moment", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const filename = Generations.baseIn(directory)
      const log = LogFiles.files(directory).log
      const services = Projections.layer({ filename, log: { _tag: "Sqlite", filename: log } }).pipe(
        Layer.provideMerge(SqliteEventStore.layer(directory))
      )
      yield* Effect.gen(function* () {
        let number = 0
        const append = Effect.suspend(() => RebuildLog.append(number, (number += 10)))
        const appending = yield* Effect.forkChild(Effect.forever(append))
        const bases = new Map<string, string>()
        while (bases.size < 4) {
          const { projections } = yield* Nodes.take(yield* (yield* Projections).filename)
          const base = yield* Nodes.newBase
          if ((yield* Nodes.restore(base)) !== null) bases.set(projections[0]?.position ?? "", base)
        }
        yield* Fiber.interrupt(appending)
        const replayed = yield* RebuildLog.replayed()
        for (const base of bases.values()) {
          yield* Nodes.readAll(base)
          assert.deepStrictEqual(dump(Generations.current(base)), replayed)
        }
      }).pipe(Effect.provide(services, { local: true }))
    }).pipe(Effect.scoped, Effect.provide(Nodes.shared))
  )
})
