/**
 * Replaces the read models with a snapshot before they are opened. On any error, the node continues with its own rows and
 * reads the rest from the log, which takes longer.
 */
import * as fs from "node:fs"
import { Clock, Duration, Effect, Schedule, type Scope } from "effect"
import { BlobStore, type BlobStoreError } from "#streams/BlobStore.ts"
import type { Projection } from "../Projection.ts"
import { attempt, type ReadModelError } from "../ReadModelError.ts"
import * as Generations from "../rebuild/Generations.ts"
import type { RebuildUnderWay } from "../rebuild/RebuildError.ts"
import * as RebuildLock from "../rebuild/RebuildLock.ts"
import * as StoredCheckpoints from "../runner/StoredCheckpoints.ts"
import * as Integrity from "./Integrity.ts"
import * as Packing from "./Packing.ts"
import * as Snapshot from "./Snapshot.ts"
import { SnapshotDamaged, type SnapshotFileError } from "./SnapshotError.ts"
import { SnapshotPointer } from "./SnapshotPointer.ts"

export interface RestoreOptions {
  /** The file of the first generation (`Generations`). */
  readonly base: string
  /** The projections of this release. */
  readonly projections: ReadonlyArray<Projection>
}

type RestoreError = SnapshotDamaged | SnapshotFileError | BlobStoreError | ReadModelError | RebuildUnderWay

/**
 * The least number of events that a snapshot must save. Reading fewer from the log is faster than a download, except for a
 * node without rows.
 */
const minGain = 50_000

const progressMs = 10_000

/**
 * Restores a snapshot as the current file and returns it. `null` when none is worth it: there is no snapshot, or the rows
 * are at most 50,000 events behind it. A snapshot that has only some projections in this release's versions serves those;
 * the runner rebuilds the others. The caller must hold the directory's lock.
 */
export const run = (
  options: RestoreOptions
): Effect.Effect<Snapshot.Snapshot | null, never, BlobStore | SnapshotPointer> =>
  firstOf(options).pipe(
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("Snapshots of the read models are ignored", cause), null)
    ),
    Effect.withSpan("Restore.run")
  )

const firstOf = Effect.fnUntraced(function* (options: RestoreOptions) {
  for (const snapshot of yield* candidates(options)) {
    const isRestored = yield* use(snapshot, options).pipe(
      Effect.retry({ schedule: Schedule.spaced("1 second"), times: 2, while: isTransient }),
      Effect.timed,
      Effect.flatMap(([duration]) => logRestored(snapshot, duration)),
      Effect.as(true),
      Effect.catch((error) => Effect.as(logUnused(error, snapshot.key), false))
    )
    if (isRestored) return snapshot
  }
  return null
})

const isTransient = ({ _tag }: RestoreError) => _tag === "BlobStoreError"

/** Snapshots that are worth it, newest first. */
const candidates = Effect.fnUntraced(function* ({ base, projections }: RestoreOptions) {
  const found = yield* (yield* SnapshotPointer).get
  const current = Generations.current(base)
  const own = yield* attempt("The read models cannot be read", () => StoredCheckpoints.read(current))
  const least = fs.existsSync(current) ? minGain : 0
  const { newest, before } = found?.snapshots ?? Snapshot.none
  return [newest, before].flatMap((snapshot) =>
    snapshot !== null && Snapshot.gain(own, Snapshot.checkpointsOf(snapshot), projections) > least
      ? [snapshot]
      : []
  )
})

/** Uses the file of a rebuild's copy. If the process is killed, the next rebuild or restore removes it. */
const use = Effect.fnUntraced(function* (
  snapshot: Snapshot.Snapshot,
  { base }: RestoreOptions
): Effect.fn.Return<void, RestoreError, BlobStore | Scope.Scope> {
  const blobs = yield* BlobStore
  yield* RebuildLock.acquire(base)
  const copy = Generations.copyOf(base)
  const remove = Effect.sync(() => Generations.remove(copy))
  yield* Effect.acquireRelease(remove, () => remove)
  const blob = yield* blobs.get(snapshot.key)
  if (blob === null) return yield* new SnapshotDamaged({ reason: "The blob of the snapshot is missing" })
  yield* Packing.unpack(blob, copy, snapshot, yield* progress(snapshot))
  if (!(yield* Integrity.isWhole(copy))) {
    return yield* new SnapshotDamaged({ reason: "The snapshot is damaged: SQLite finds faults in it" })
  }
  yield* attempt("The snapshot cannot be made the current file", () => Generations.promote(base))
}, Effect.scoped)

/** Logs a line every ten seconds. */
const progress = Effect.fnUntraced(function* ({ size }: Snapshot.Snapshot) {
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  let lastLogged = now()
  return (bytes: number) => {
    if (now() - lastLogged < progressMs) return Effect.void
    lastLogged = now()
    return Effect.annotateLogs(Effect.logInfo("A snapshot of the read models is being downloaded"), {
      bytes,
      of: size
    })
  }
})

const logRestored = (snapshot: Snapshot.Snapshot, duration: Duration.Duration) =>
  Effect.annotateLogs(Effect.logInfo("The read models start from a snapshot"), {
    ...Snapshot.logFields(snapshot),
    duration_ms: Math.round(Duration.toMillis(duration))
  })

const logUnused = (error: RestoreError, key: string) =>
  Effect.annotateLogs(Effect.logWarning("A snapshot of the read models cannot be used"), {
    key,
    reason: error.message
  })
