/** T19: a mixed load for half an hour, after which log and books are proved. */
import { DatabaseSync } from "node:sqlite"
import { Effect, Schedule } from "effect"
import * as Metering from "../../harness/Metering.ts"
import * as ProcessTree from "../../harness/ProcessTree.ts"
import * as Program from "../../harness/Program.ts"
import * as Progress from "../../harness/Progress.ts"
import * as ResidentMemory from "../../harness/ResidentMemory.ts"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import { BenchFailed, type Measurement, type Row } from "../../harness/Subject.ts"
import * as Commands from "../../subjects/Commands.ts"
import * as Inferlog from "../../subjects/Inferlog.ts"
import * as Receiving from "../../subjects/webhooks/Receiving.ts"
import * as Mixing from "./Mixing.ts"

/** The share of what the server can do, which is measured before each window: the speed of a shared machine changes. */
const share = 0.7
/** Length of a measurement of what the server can do, s, and in a short soak as a part of the window. */
const longestCapacitySeconds = 15
const capacityPart = 1 / 4
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

interface Window {
  readonly mixed: Mixing.Mixed
  /** Turns a second that 32 clients reached before it. */
  readonly capacity: number
  /** Mean resident memory, MiB. */
  readonly memory: number
  /** CPU time of a turn, ms. */
  readonly cpuMs: number
}

const notesOf = (name: string, { capacity, cpuMs, memory, mixed }: Window) => ({
  [`${name}: turns a second without a limit`]: capacity,
  [`${name}: p99 of submits, ms`]: mixed.submit.p99,
  [`${name}: p99 of polls, ms`]: mixed.poll.p99,
  [`${name}: CPU time of a turn, ms`]: cpuMs,
  [`${name}: resident memory, MiB`]: memory
})

/** A server under the mixed load, warmed up. */
const start = Effect.fnUntraced(function* (dataDirectory: string, windowSeconds: number) {
  const settings = { ALLOW_PRIVATE_TARGETS: "true" }
  const { pids, port } = yield* Inferlog.serveIn(dataDirectory, undefined, settings)
  const receiver = yield* Receiving.start("http")
  const client = yield* Program.start({
    name: "the mixed load",
    args: ["bench/rows/soak/MixedLoad.ts"],
    end: "stdin"
  })
  const mix = (seconds: number, perSecond: number | null) => {
    const headers = Inferlog.authorization
    const order: Mixing.Order = { port, headers, webhook: receiver.url, seconds, perSecond }
    return Effect.andThen(client.send(order), Program.document(client, Mixing.Mixed))
  }
  const allOut = mix(Math.min(longestCapacitySeconds, windowSeconds * capacityPart), null)
  yield* allOut

  const window = Effect.gen(function* () {
    const all = yield* allOut
    yield* Metering.settle(pids)
    const capacity = (1_000 * all.turns) / all.elapsedMs
    const cpuBefore = ProcessTree.cpuMs(pids)
    const { samples, value: mixed } = yield* ResidentMemory.during(pids, mix(windowSeconds, share * capacity))
    yield* Metering.settle(pids)
    const cpuMs = (ProcessTree.cpuMs(pids) - cpuBefore) / mixed.turns
    const measured: Window = { mixed, capacity, memory: ResidentMemory.mean(samples), cpuMs }
    yield* Progress.say(
      `  ${(share * capacity).toFixed(0)} turns a second: p99 of submits ${mixed.submit.p99.toFixed(1)} ms, ` +
        `of polls ${mixed.poll.p99.toFixed(1)} ms, CPU time of a turn ${cpuMs.toFixed(2)} ms, ` +
        `memory ${measured.memory.toFixed(0)} MiB`
    )
    return measured
  })
  return { pids, window }
})

const soaked = Effect.fnUntraced(function* (dataDirectory: string, windows: number, windowSeconds: number) {
  const { pids, window } = yield* start(dataDirectory, windowSeconds)
  const measured = yield* Effect.replicateEffect(window, windows)
  yield* Effect.sync(() => isQuiet(dataDirectory)).pipe(
    Effect.repeat({ until: (quiet) => quiet, schedule: Schedule.spaced(pollMs) }),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(new BenchFailed({ reason: "requests or webhooks did not end" }))
    })
  )
  return { measured, peakRssBytes: ProcessTree.peakRssBytes(pids) }
}, Effect.scoped)

/** The same window on a new server: what the machine can do after the soak. */
const fresh = Effect.fnUntraced(function* (windowSeconds: number) {
  const { window } = yield* start(yield* ScratchDirectory.make, windowSeconds)
  return yield* window
}, Effect.scoped)

const measureIn = Effect.fnUntraced(function* (windows: number, seconds: number) {
  const directory = yield* ScratchDirectory.make
  const windowSeconds = seconds / windows
  const { measured, peakRssBytes } = yield* soaked(directory, windows, windowSeconds)
  yield* Progress.say("  a new server")
  const control = yield* fresh(windowSeconds)
  yield* Progress.say("  proving log and books")
  yield* Commands.run(["log", "verify"], directory)
  yield* Commands.run(["audit"], directory)

  const [first] = measured
  const last = measured.at(-1)
  if (first === undefined || last === undefined) throw new Error("there is no window")
  const sum = (of: (window: Window) => number) => measured.reduce((total, window) => total + of(window), 0)
  const elapsedMs = sum(({ mixed }) => mixed.elapsedMs)
  const measurement: Measurement = {
    operations: sum(({ mixed }) => mixed.turns),
    elapsedMs,
    latencyMs: last.mixed.submit,
    cpuMs: sum(({ cpuMs, mixed }) => cpuMs * mixed.turns),
    peakRssBytes,
    notes: {
      "calls a second": (1_000 * sum(({ mixed }) => mixed.calls)) / elapsedMs,
      ...notesOf("the first window", first),
      ...notesOf("the last window", last),
      ...notesOf("the same on a new server afterwards", control),
      [submitLimit]: last.mixed.submit.p99 / first.mixed.submit.p99,
      [pollLimit]: last.mixed.poll.p99 / first.mixed.poll.p99,
      [memoryLimit]: last.memory / first.memory
    }
  }
  return measurement
}, Effect.scoped)

export interface Options {
  /** At least two: the first is compared with the last. */
  readonly windows: number
}

export const rowOf = ({ windows }: Options): Row => ({
  id: "T19",
  title: "Soak: submits, polls, event streams, webhooks and uploads",
  unit: "submits",
  subjects: [
    {
      name: "inferlog",
      role: "ours",
      start: Effect.succeed({ measure: (seconds: number) => measureIn(windows, seconds) })
    }
  ],
  targets: {},
  limits: { notes: { [submitLimit]: 1.2, [pollLimit]: 1.2, [memoryLimit]: 1.2 } }
})

/** Not among the usual rows, because it takes half an hour. */
export const row: Row = rowOf({ windows: 6 })
