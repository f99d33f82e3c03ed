/** Reads the process's use of CPU and memory, and the delay of its event loop. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect, Metric, Schedule } from "effect"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as Families from "#src/platform/telemetry/metrics/Families.ts"

const microsPerSecond = 1e6
const nanosPerSecond = 1e9
const millisPerSecond = 1e3

/** Interval of the sampling timer, ms. Shorter delays are not seen. */
const resolution = 20

/** Reads from the older of two overlapping histograms, so that every reading covers some time. */
const delays = Effect.gen(function* () {
  const begin = () => {
    const histogram = monitorEventLoopDelay({ resolution })
    histogram.enable()
    return histogram
  }
  let kept = [begin(), begin()] as const
  const turn = Effect.sync(() => {
    const [older, newer] = kept
    older.disable()
    kept = [newer, begin()] as const
  })
  yield* Effect.forkScoped(Effect.repeat(Effect.delay(turn, "10 seconds"), Schedule.forever))
  yield* Effect.addFinalizer(() => Effect.sync(() => kept.forEach((histogram) => histogram.disable())))
  /** Seconds. Node's samples include the interval of the timer. */
  return () => {
    const [older] = kept
    return older.count === 0
      ? 0
      : Math.max(older.percentile(99) / nanosPerSecond - resolution / millisPerSecond, 0)
  }
})

export const make = Effect.gen(function* () {
  const delay = yield* delays
  let counted = { user: 0, system: 0 }
  return Effect.gen(function* () {
    const { heapTotal, heapUsed, rss } = process.memoryUsage()
    const cpu = process.cpuUsage()
    const since = { user: cpu.user - counted.user, system: cpu.system - counted.system }
    counted = cpu
    const up = process.uptime()
    yield* Metric.update(Families.residentMemory.of(), rss)
    yield* Metric.update(Families.heapUsed.of(), heapUsed)
    yield* Metric.update(Families.heapTotal.of(), heapTotal)
    yield* Metric.update(Families.eventLoopDelay.of(), delay())
    yield* Metric.update(Families.cpuSeconds.of("user"), since.user / microsPerSecond)
    yield* Metric.update(Families.cpuSeconds.of("system"), since.system / microsPerSecond)
    yield* Metric.update(Families.startTime.of(), performance.timeOrigin / millisPerSecond)
    yield* Metric.update(Families.uptime.of(), up)
    yield* Metric.update(Families.buildInfo.of(version, process.versions.node), 1)
  })
})
