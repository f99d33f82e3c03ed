/** Takes hourly snapshots of the read models on the node with the lease, so that new nodes need not read all events. */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import { Projections } from "#projections/Projections.ts"
import { attempt, type ReadModelError } from "#projections/ReadModelError.ts"
import * as StoredCheckpoints from "#projections/runner/StoredCheckpoints.ts"
import * as Snapshot from "#projections/snapshot/Snapshot.ts"
import type { SnapshotPointerError } from "#projections/snapshot/SnapshotError.ts"
import { SnapshotPointer } from "#projections/snapshot/SnapshotPointer.ts"
import * as Take from "#projections/snapshot/Take.ts"
import { Lease } from "#src/platform/cluster/Lease.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"

const interval = Duration.hours(1)

/** A log that has grown by less, in events or commits, needs no new snapshot. */
const leastGain = 1_000

/** The interval between checks, also after a failure. */
const lookInterval = Duration.minutes(1)
const retryInterval = Duration.minutes(10)

/** The last snapshot that this node has seen, and when the next one is due. */
interface Seen {
  readonly key: string
  /** On the monotonic clock, ms. */
  readonly dueAt: number
}

export class SnapshotReactor extends Context.Service<
  SnapshotReactor,
  {
    /** Takes a snapshot if this node holds the lease, the newest is an hour old and the log grew; otherwise `null`. */
    readonly pass: Effect.Effect<
      Snapshot.Snapshot | null,
      Take.TakeError | SnapshotPointerError | ReadModelError
    >
  }
>()("inferlog/src/platform/snapshots/SnapshotReactor") {
  static readonly layerNoReactor = (options: Pick<Take.TakeOptions, "anchor"> = {}) =>
    Layer.effect(
      SnapshotReactor,
      Effect.gen(function* () {
        const lease = yield* Lease
        const pointer = yield* SnapshotPointer
        const projections = yield* Projections
        const directory = yield* ScratchDirectory
        const ids = yield* IdGenerator
        const blobs = yield* BlobStore
        let seen: Seen | undefined

        /** Two nodes' wall clocks are compared once per snapshot, after that only the local monotonic clock. */
        const isOld = Effect.fnUntraced(function* ({ createdAt, key }: Snapshot.Snapshot) {
          const now = yield* MonotonicTime.millis
          if (seen?.key !== key) {
            const age = Math.max((yield* Clock.currentTimeMillis) - createdAt, 0)
            seen = { key, dueAt: now + Duration.toMillis(interval) - age }
          }
          return now >= seen.dueAt
        })

        const isDue = Effect.fnUntraced(function* (filename: string) {
          const newest = (yield* pointer.get)?.snapshots.newest ?? null
          if (newest !== null && !(yield* isOld(newest))) return false
          const own = yield* attempt("The read models cannot be read", () => StoredCheckpoints.read(filename))
          return Snapshot.gain(Snapshot.checkpointsOf(newest), own, allProjections) >= leastGain
        })

        const pass: SnapshotReactor["Service"]["pass"] = Effect.gen(function* () {
          if (!(yield* lease.isHeld)) return null
          const filename = yield* projections.filename
          if (!(yield* isDue(filename))) return null
          const [duration, snapshot] = yield* Effect.timed(
            Take.run({ filename, directory, id: ids.next(), ...options })
          )
          yield* Effect.annotateLogs(Effect.logInfo("Took a snapshot of the read models"), {
            ...Snapshot.logFields(snapshot),
            duration_ms: Math.round(Duration.toMillis(duration))
          })
          return snapshot
        }).pipe(
          Effect.withSpan("SnapshotReactor.pass"),
          Effect.provideService(BlobStore, blobs),
          Effect.provideService(SnapshotPointer, pointer)
        )

        return SnapshotReactor.of({ pass })
      })
    )

  /** Checks every minute, first a minute after the start, when the read models are level with the log. */
  static readonly layer = (options: Pick<Take.TakeOptions, "anchor"> = {}) =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const { pass } = yield* SnapshotReactor
        const attempted = pass.pipe(
          Effect.as(lookInterval),
          Effect.catchTag("SnapshotPointerMoved", () => Effect.succeed(lookInterval)),
          Effect.catchCause((cause) =>
            Effect.as(Effect.logWarning("Taking a snapshot of the read models failed", cause), retryInterval)
          )
        )
        const passes = Effect.andThen(
          Effect.sleep(lookInterval),
          Effect.forever(Effect.flatMap(attempted, Effect.sleep))
        )
        yield* Effect.forkScoped(supervise("Taking snapshots of the read models", passes))
      })
    ).pipe(Layer.provide(SnapshotReactor.layerNoReactor(options)))
}
