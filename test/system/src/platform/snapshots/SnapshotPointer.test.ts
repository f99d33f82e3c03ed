import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Snapshots } from "#projections/snapshot/Snapshot.ts"
import { SnapshotPointer } from "#projections/snapshot/SnapshotPointer.ts"
import { ClusterFacts } from "#src/platform/cluster/ClusterFacts.ts"
import * as ClusterSnapshotPointer from "#src/platform/snapshots/ClusterSnapshotPointer.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { Nats } from "#streams/nats/Nats.ts"
import * as ClusterNode from "#test/support/src/platform/cluster/ClusterNode.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"

const snapshots = (id: string): Snapshots => ({
  format: 1,
  newest: {
    key: `snapshots/${id}`,
    createdAt: 1_700_000_000_000,
    projections: [{ name: "history", version: 3, position: GlobalPosition.trusted("12.3") }],
    anchor: { position: GlobalPosition.trusted("12.3"), digest: "digest" },
    sha256: "sha256",
    size: 1,
    fileSize: 2
  },
  before: null,
  unneeded: ["snapshots/old"]
})

/** All records of it. */
const contract = Effect.gen(function* () {
  const { get, put } = yield* SnapshotPointer
  assert.isNull(yield* get)
  const first = yield* put(snapshots("a"), null)
  assert.deepStrictEqual(yield* get, { snapshots: snapshots("a"), revision: first })
  const second = yield* put(snapshots("b"), first)
  for (const stale of [null, first]) {
    const errorAnswer = yield* Effect.flip(put(snapshots("c"), stale))
    assert.strictEqual(errorAnswer._tag, "SnapshotPointerMoved")
  }
  assert.deepStrictEqual(yield* get, { snapshots: snapshots("b"), revision: second })
  yield* put(snapshots("c"), second)
})

describe("SnapshotPointer in memory", () => {
  it.effect("accepts a write on the newest revision only", () =>
    contract.pipe(Effect.provide(SnapshotPointer.layerMemory))
  )
})

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("SnapshotPointer on NATS"), () => {
  const layer = Layer.unwrap(
    Effect.map(NatsServer.make(), ({ url }) =>
      ClusterSnapshotPointer.layer.pipe(
        Layer.provideMerge(ClusterFacts.layer),
        Layer.provide(Nats.layer(ClusterNode.options(url, "snapshots")))
      )
    )
  )

  it.live("accepts a write on the newest revision only", () => contract.pipe(Effect.provide(layer)))

  it.live("leaves a record of another release unchanged", () =>
    Effect.gen(function* () {
      const { getFact, putFact } = yield* ClusterFacts
      yield* putFact("snapshots", { format: 2 }, null)
      const { get, put } = yield* SnapshotPointer
      assert.match((yield* Effect.flip(get)).message, /another release/)
      assert.strictEqual((yield* Effect.flip(put(snapshots("a"), null)))._tag, "SnapshotPointerMoved")
      assert.deepStrictEqual((yield* getFact("snapshots"))?.value, { format: 2 })
    }).pipe(Effect.provide(layer))
  )
})
