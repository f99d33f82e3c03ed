/** Finds out whether the log can be appended to: by what becomes of appends, and by a probe once one has failed. */
import { Cause, Clock, Effect, Exit, Layer, Result, Schedule } from "effect"
import { LogServers } from "#src/platform/cluster/LogServers.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as DiskProbe from "./DiskProbe.ts"
import * as Health from "./Health.ts"

/** How long an append may take as long as no other one ends, ms. */
const patienceMs = 10_000

const probeInterval = "1 second"

/** @param probe whether the next append may succeed. */
const watched = Effect.fnUntraced(function* (store: EventStore["Service"], probe: Effect.Effect<boolean>) {
  const { watch } = yield* Health.Health
  const clock = yield* Clock.Clock
  const now = () => MonotonicTime.millisOf(clock)
  let failedAt: number | null = null
  let underWay = 0
  /** When the last append ended, or the first one of those under way began. */
  let quietSince = 0
  yield* watch("log_not_writable", () => failedAt)
  yield* watch("log_not_answering", (now) =>
    underWay > 0 && now - quietSince > patienceMs ? quietSince : null
  )

  const onExit = (exit: Exit.Exit<unknown, { readonly _tag: string }>) => {
    underWay--
    quietSince = now()
    if (Exit.isSuccess(exit)) failedAt = null
    else {
      const error = Result.getOrUndefined(Result.map(Cause.findError(exit.cause), ({ _tag }) => _tag))
      if (error === "EventStoreError") failedAt ??= quietSince
    }
    return Effect.void
  }
  const append: EventStore["Service"]["append"] = (options) =>
    Effect.suspend(() => {
      if (underWay++ === 0) quietSince = now()
      return Effect.onExit(store.append(options), onExit)
    })

  // A node that is asked for nothing any more would not notice that it could write again.
  const recheck = Effect.suspend(() => {
    if (failedAt === null) return Effect.void
    return Effect.map(probe, (isFine) => {
      if (isFine) failedAt = null
    })
  })
  yield* Effect.forkScoped(Effect.repeat(recheck, Schedule.spaced(probeInterval)))
  return EventStore.of({ ...store, append })
})

export const layerOf = (probe: Effect.Effect<boolean>) =>
  Layer.effect(
    EventStore,
    Effect.flatMap(EventStore, (store) => watched(store, probe))
  )

const single = Layer.unwrap(Effect.map(DataDirectory, (directory) => layerOf(DiskProbe.hasRoom(directory))))

/** Loaded where the log is at servers only. */
const shared = Layer.unwrap(
  Effect.promise(async () => {
    const ServersHealth = await import("./ServersHealth.ts")
    return Layer.unwrap(
      Effect.map(ServersHealth.isUp, (isUp) => layerOf(isUp).pipe(Layer.provideMerge(ServersHealth.layer)))
    )
  })
)

export const layer = LogServers.choose({ single, shared })
