/** Detects whether the log accepts appends: from the results of appends, and with a probe after a failure. */
import { Cause, Clock, Effect, Exit, Layer, Result, Schedule } from "effect"
import { LogServers } from "#src/platform/cluster/LogServers.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as DiskProbe from "./DiskProbe.ts"
import * as Health from "./Health.ts"

/** How long an append may take while no other append ends, ms. */
const patienceMs = 10_000

const probeInterval = "1 second"

/** @param probe succeeds when the next append may succeed. */
const watched = Effect.fnUntraced(function* (store: EventStore["Service"], probe: Effect.Effect<boolean>) {
  const { watch } = yield* Health.Health
  const clock = yield* Clock.Clock
  const now = () => MonotonicTime.millisOf(clock)
  let failedAt: number | null = null
  let underWay = 0
  /** When the last append ended, or the first pending one began. */
  let quietSince = 0
  yield* watch("log_not_writable", () => failedAt)
  yield* watch("log_not_answering", (now) =>
    underWay > 0 && now - quietSince > patienceMs ? quietSince : null
  )

  const begin = () => {
    if (underWay++ === 0) quietSince = now()
  }
  const end = (exit: Exit.Exit<unknown, { readonly _tag: string }>) => {
    underWay--
    quietSince = now()
    if (Exit.isSuccess(exit)) failedAt = null
    else {
      const error = Result.getOrUndefined(Result.map(Cause.findError(exit.cause), ({ _tag }) => _tag))
      if (error === "EventStoreError") failedAt ??= quietSince
    }
  }
  const append: EventStore["Service"]["append"] = (options) =>
    Effect.suspend(() => {
      begin()
      return Effect.onExit(store.append(options), (exit) => Effect.sync(() => end(exit)))
    })
  const send: EventStore["Service"]["send"] = (options, onEnd) => {
    begin()
    store.send(options, (exit) => {
      end(exit)
      onEnd(exit)
    })
  }

  // A node without requests would not notice that appends work again.
  const recheck = Effect.suspend(() => {
    if (failedAt === null) return Effect.void
    return Effect.map(probe, (isFine) => {
      if (isFine) failedAt = null
    })
  })
  yield* Effect.forkScoped(Effect.repeat(recheck, Schedule.spaced(probeInterval)))
  return EventStore.of({ ...store, append, send })
})

export const layerOf = (probe: Effect.Effect<boolean>) =>
  Layer.effect(
    EventStore,
    Effect.flatMap(EventStore, (store) => watched(store, probe))
  )

const single = Layer.unwrap(Effect.map(DataDirectory, (directory) => layerOf(DiskProbe.hasRoom(directory))))

/** Loaded only when the log is on NATS servers. */
const shared = Layer.unwrap(
  Effect.promise(async () => {
    const ServersHealth = await import("./ServersHealth.ts")
    return Layer.unwrap(
      Effect.map(ServersHealth.isUp, (isUp) => layerOf(isUp).pipe(Layer.provideMerge(ServersHealth.layer)))
    )
  })
)

export const layer = LogServers.choose({ single, shared })
