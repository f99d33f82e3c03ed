import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import { Nats } from "#streams/nats/Nats.ts"
import { names } from "#streams/nats/NatsOptions.ts"
import * as DataFormat from "#src/kernel/program/DataFormat.ts"
import { ClusterFacts } from "#src/platform/cluster/ClusterFacts.ts"
import * as NatsBucket from "#src/platform/cluster/NatsBucket.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsCluster from "#test/support/servers/NatsCluster.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as ClusterNode from "#test/support/src/platform/cluster/ClusterNode.ts"

/** A server, and how its nodes connect to it. */
const connected = Effect.gen(function* () {
  const server = yield* NatsServer.make()
  return Nats.layer(ClusterNode.options(server.url, "facts"))
})

const newStore = Effect.map(Layer.build(MemoryBlobStore.layer), Context.get(BlobStore))

/** The check of one node. */
const check = (nats: Layer.Layer<Nats, unknown>, store: BlobStore["Service"], fingerprint = "fingerprint") =>
  ClusterFacts.check({ fingerprint }).pipe(Effect.provideService(BlobStore, store), Effect.provide(nats))

const getFact = (nats: Layer.Layer<Nats, unknown>, key: string) =>
  Effect.flatMap(ClusterFacts, ({ getFact }) => getFact(key)).pipe(
    Effect.provide(Layer.provide(ClusterFacts.layer, nats))
  )

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("ClusterFacts"), { concurrent: true }, () => {
  it.live("reject a node with another master key", () =>
    Effect.gen(function* () {
      const nats = yield* connected
      const store = yield* newStore
      yield* check(nats, store)
      yield* check(nats, store)
      const errorAnswer = yield* Effect.flip(check(nats, store, "another"))
      assert.strictEqual(
        String(errorAnswer),
        "ClusterMismatch: MASTER_KEY: this is not the key of the other nodes of this log"
      )
      yield* check(nats, store)
    })
  )

  it.live("reject a node of a release that cannot read the data of a newer one", () =>
    Effect.gen(function* () {
      const nats = yield* connected
      const store = yield* newStore
      yield* check(nats, store)
      const written = yield* getFact(nats, "data-release")
      assert.deepStrictEqual(written?.value, { ...DataFormat.ours })
      const newer = { format: DataFormat.dataFormat + 1, release: "99.1.0" }
      yield* Effect.flatMap(ClusterFacts, ({ putFact }) =>
        putFact("data-release", newer, written?.revision ?? null)
      ).pipe(Effect.provide(Layer.provide(ClusterFacts.layer, nats)))
      const refused = yield* Effect.flip(check(nats, store))
      assert.match(
        String(refused),
        /EVENT_STORE: inferlog 99\.1\.0 has written data .+ start 99\.1\.0 or newer/
      )
      assert.deepStrictEqual((yield* getFact(nats, "data-release"))?.value, newer)
    })
  )

  it.live("reject a node with another blob store", () =>
    Effect.gen(function* () {
      const nats = yield* connected
      const store = yield* newStore
      yield* check(nats, store)
      const errorAnswer = yield* Effect.flip(check(nats, yield* newStore))
      assert.match(String(errorAnswer), /BLOB_STORE: this is not the store of the other nodes/)
      yield* check(nats, store)
    })
  )

  it.live("are shared by first nodes that start at once", () =>
    Effect.gen(function* () {
      // All over one connection with the agreed key, so that none is ahead.
      const context = yield* Layer.build(yield* connected)
      const nats = Layer.succeedContext(context)
      const store = yield* newStore
      yield* Effect.flatMap(ClusterFacts, ({ putFact }) => putFact("master-key", "fingerprint", null)).pipe(
        Effect.provide(Layer.provide(ClusterFacts.layer, nats))
      )
      const checks = Array.from({ length: 8 }, () => check(nats, store))
      yield* Effect.all(checks, { concurrency: "unbounded" })
    })
  )

  it.live("contain no blob store that a first node could not write to", () =>
    Effect.gen(function* () {
      const nats = yield* connected
      const store = yield* newStore
      const full = { ...store, put: () => Effect.fail(new BlobStoreError({ reason: "no space is left" })) }
      assert.match(String(yield* Effect.flip(check(nats, full))), /no space is left/)
      assert.isNull(yield* getFact(nats, "blob-store"))
      assert.isNotNull(yield* getFact(nats, "master-key"))
      yield* check(nats, store)
    })
  )

  it.live("are written with the latest revision only, and a repeated write counts once", () =>
    Effect.gen(function* () {
      const nats = yield* connected
      yield* Effect.gen(function* () {
        const { getFact, putFact } = yield* ClusterFacts
        assert.isNull(yield* getFact("snapshot"))
        const first = yield* putFact("snapshot", { position: "7" }, null)
        assert.deepStrictEqual(yield* getFact("snapshot"), { value: { position: "7" }, revision: first })
        assert.strictEqual(yield* putFact("snapshot", { position: "7" }, null), first)

        const second = yield* putFact("snapshot", { position: "8" }, first)
        assert.isAbove(second, first)
        assert.strictEqual((yield* Effect.flip(putFact("snapshot", null, null)))._tag, "FactConflict")
        assert.strictEqual((yield* Effect.flip(putFact("snapshot", null, first)))._tag, "FactConflict")
        assert.deepStrictEqual(yield* getFact("snapshot"), { value: { position: "8" }, revision: second })
      }).pipe(Effect.provide(Layer.provide(ClusterFacts.layer, nats)))
    })
  )

  it.live("are not read from a misconfigured bucket", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const options = ClusterNode.options(server.url, "other")
      const nats = Nats.layer(options)
      yield* NatsBucket.open({
        name: names(options).facts,
        ttlMs: 60_000,
        storage: "file",
        patienceMs: 1_000
      }).pipe(Effect.provide(nats))
      const errorAnswer = yield* Effect.flip(getFact(nats, "snapshot"))
      assert.match(String(errorAnswer), /KV_OTHER_FACTS .* max_age 60000000000, and 0 is needed/)
    })
  )

  it.live("are stored by a cluster of servers", () =>
    Effect.gen(function* () {
      const cluster = yield* NatsCluster.make()
      const nats = Nats.layer(ClusterNode.options(cluster.url, "three", "&replicas=3"))
      const store = yield* newStore
      yield* Effect.all([check(nats, store), check(nats, store)], { concurrency: "unbounded" })
      yield* cluster.servers[0].kill
      yield* check(nats, store)
      assert.match(String(yield* Effect.flip(check(nats, store, "another"))), /MASTER_KEY/)
    })
  )
})
