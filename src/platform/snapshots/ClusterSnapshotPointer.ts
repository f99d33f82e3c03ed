/** The pointer to a log's newest snapshot, stored in the cluster's facts. */
import { Effect, Layer, Schema } from "effect"
import { Snapshots } from "#projections/snapshot/Snapshot.ts"
import { SnapshotPointerError, SnapshotPointerMoved } from "#projections/snapshot/SnapshotError.ts"
import { SnapshotPointer } from "#projections/snapshot/SnapshotPointer.ts"
import { ClusterFacts } from "#src/platform/cluster/ClusterFacts.ts"

const key = "snapshots"

const decode = Schema.decodeUnknownEffect(Snapshots)
const encode = Schema.encodeSync(Snapshots)

/** A record in another format is not changed, and reading it fails. */
export const layer = Layer.effect(
  SnapshotPointer,
  Effect.gen(function* () {
    const { getFact, putFact } = yield* ClusterFacts

    const get: SnapshotPointer["Service"]["get"] = Effect.gen(function* () {
      const fact = yield* getFact(key)
      if (fact === null) return null
      return { snapshots: yield* decode(fact.value), revision: fact.revision }
    }).pipe(
      Effect.catchTag(
        "ClusterFactsError",
        (cause) => new SnapshotPointerError({ reason: cause.message, cause })
      ),
      Effect.catchTag(
        "SchemaError",
        () => new SnapshotPointerError({ reason: "The snapshots were written down by another release" })
      )
    )

    const put: SnapshotPointer["Service"]["put"] = (snapshots, revision) =>
      putFact(key, encode(snapshots), revision).pipe(
        Effect.catchTag("FactConflict", () => new SnapshotPointerMoved()),
        Effect.catchTag(
          "ClusterFactsError",
          (cause) => new SnapshotPointerError({ reason: cause.message, cause })
        )
      )

    return SnapshotPointer.of({ get, put })
  })
)
