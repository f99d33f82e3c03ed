/** T19: a mixed load for half an hour, after which log and books are proved. */
import { DatabaseSync } from "node:sqlite"
import { Effect, Fiber, Schedule } from "effect"
import * as Metering from "../../harness/Metering.ts"
import * as ProcessTree from "../../harness/ProcessTree.ts"
import * as Program from "../../harness/Program.ts"
import * as Progress from "../../harness/Progress.ts"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import { BenchFailed, type Measurement, type Row } from "../../harness/Subject.ts"
import * as Commands from "../../subjects/Commands.ts"
import * as Inferlog from "../../subjects/Inferlog.ts"
import * as Receiving from "../../subjects/webhooks/Receiving.ts"
import * as Mixing from "./Mixing.ts"

/** The share of what the server can do. */
const share = 0.7
/** Compared are the first and the last window, which are shorter in a short soak. */
const longestWindowSeconds = 300
const fewestWindows = 6
const longestCapacitySeconds = 30
const longestWarmUpSeconds = 5
/** Time limit for accepted requests and their webhooks to end. */
const patience = "60 seconds"
const pollMs = 200

const submitLimit = "p99 of submits, last window ÷ first"
const pollLimit = "p99 of polls, last window ÷ first"
const memoryLimit = "resident memory, last window ÷ first"

/** Whether every request and delivery on the log has ended. */
const isQuiet = (dataDirectory: string) => {
  const log = new DatabaseSync(`${dataDirectory}/log.sqlite`, { readOnly: true })
  try {
    const counts = log.prepare("SELECT type, count(*) AS events FROM events GROUP BY type").all()
    const of = (type: string) => Number(counts.find((row) => row["type"] === type)?.["events"] ?? 0)
    return (
      of("RequestSubmitted") === of("RequestCompleted") && of("DeliveryScheduled") === of("AttemptSucceeded")
    )
  } finally {
    log.close()
  }
}

interface Sample {
  /** Resident memory, MiB. */
  readonly memory: number
  /** CPU time so far, ms. */
  readonly cpuMs: number
}

/** A sample each second. */
const watch = (pids: ReadonlyArray<number>, into: Array<Sample>) =>
  Effect.repeat(
    Effect.sync(
      () => void into.push({ memory: ProcessTree.rssBytes(pids) / 2 ** 20, cpuMs: ProcessTree.cpuMs(pids) })
    ),
    Schedule.spaced("1 second")
  )

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Used in a second. */
const cpuMsOf = (samples: ReadonlyArray<Sample>): number =>
  ((samples.at(-1)?.cpuMs ?? 0) - (samples[0]?.cpuMs ?? 0)) / Math.max(1, samples.length - 1)

const loaded = Effect.fnUntraced(function* (dataDirectory: string, seconds: number) {
  const settings = { ALLOW_PRIVATE_TARGETS: "true" }
  const server = yield* Inferlog.serveIn(dataDirectory, undefined, settings)
  const receiver = yield* Receiving.start("http")
  const client = yield* Program.start({
    name: "the mixed load",
    args: ["bench/rows/soak/MixedLoad.ts"],
    end: "stdin"
  })
  const windowSeconds = Math.min(longestWindowSeconds, seconds / fewestWindows)
  const mix = (seconds: number, perSecond: number | null) => {
    const { port } = server
    const headers = Inferlog.authorization
    return Effect.andThen(
      client.send({
        port,
        headers,
        webhook: receiver.url,
        seconds,
        windowSeconds,
        perSecond
      } satisfies Mixing.Order),
      Program.document(client, Mixing.Mixed)
    )
  }

  yield* mix(Math.min(longestWarmUpSeconds, seconds / 4), null)
  const capacity = yield* mix(Math.min(longestCapacitySeconds, seconds / 4), null)
  yield* Metering.settle(server.pids)
  const perSecond = (share * 1_000 * capacity.turns) / capacity.elapsedMs
  yield* Progress.say(`  ${perSecond.toFixed(0)} turns a second for ${seconds} s`)

  const watched: Array<Sample> = []
  const watching = yield* Effect.forkChild(watch(server.pids, watched))
  const cpuBefore = ProcessTree.cpuMs(server.pids)
  const mixed = yield* mix(seconds, perSecond)
  yield* Fiber.interrupt(watching)
  yield* Effect.sync(() => isQuiet(dataDirectory)).pipe(
    Effect.repeat({ until: (quiet) => quiet, schedule: Schedule.spaced(pollMs) }),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(new BenchFailed({ reason: "requests or webhooks did not end" }))
    })
  )

  for (const [index, { poll, submit }] of mixed.windows.entries())
    yield* Progress.say(
      `  window ${index + 1}: p99 of submits ${submit.p99.toFixed(1)} ms, of polls ${poll.p99.toFixed(1)} ms`
    )
  const first = mixed.windows[0]
  const last = mixed.windows[Math.floor(seconds / windowSeconds) - 1]
  if (first === undefined || last === undefined)
    return yield* new BenchFailed({ reason: "the soak was too short" })
  const samples = Math.max(1, Math.floor(windowSeconds))
  const [before, after] = [watched.slice(0, samples), watched.slice(-samples)]
  const memoryBefore = mean(before.map(({ memory }) => memory))
  const memoryAfter = mean(after.map(({ memory }) => memory))
  const measurement: Measurement = {
    operations: mixed.turns,
    elapsedMs: mixed.elapsedMs,
    latencyMs: last.submit,
    cpuMs: ProcessTree.cpuMs(server.pids) - cpuBefore,
    peakRssBytes: ProcessTree.peakRssBytes(server.pids),
    notes: {
      "calls a second": (1_000 * mixed.calls) / mixed.elapsedMs,
      "p99 of submits in the first window, ms": first.submit.p99,
      "p99 of polls in the first window, ms": first.poll.p99,
      "p99 of polls in the last window, ms": last.poll.p99,
      "CPU time a second in the first window, ms": cpuMsOf(before),
      "CPU time a second in the last window, ms": cpuMsOf(after),
      "resident memory in the first window, MiB": memoryBefore,
      "resident memory in the last window, MiB": memoryAfter,
      [submitLimit]: last.submit.p99 / first.submit.p99,
      [pollLimit]: last.poll.p99 / first.poll.p99,
      [memoryLimit]: memoryAfter / memoryBefore
    }
  }
  return measurement
}, Effect.scoped)

const measure = Effect.fnUntraced(function* (seconds: number) {
  const directory = yield* ScratchDirectory.make
  const measurement = yield* loaded(directory, seconds)
  yield* Progress.say("  proving log and books")
  yield* Commands.run(["log", "verify"], directory)
  yield* Commands.run(["audit"], directory)
  return measurement
}, Effect.scoped)

/** Not among the usual rows, because it takes half an hour. */
export const row: Row = {
  id: "T19",
  title: "Soak: submits, polls, event streams, webhooks and uploads",
  unit: "submits",
  subjects: [{ name: "inferlog", role: "ours", start: Effect.succeed({ measure }) }],
  targets: {},
  limits: { notes: { [submitLimit]: 1.2, [pollLimit]: 1.2, [memoryLimit]: 1.2 } }
}
