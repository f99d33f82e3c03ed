/** T11: the cost of waiting deliveries in memory and at the start of a server. */
import { Clock, Effect } from "effect"
import * as ProcessTree from "../harness/ProcessTree.ts"
import * as Metering from "../harness/Metering.ts"
import * as Progress from "../harness/Progress.ts"
import * as ScratchDirectory from "../harness/ScratchDirectory.ts"
import type { Measurement, Row } from "../harness/Subject.ts"
import * as Sender from "../subjects/webhooks/Sender.ts"
import * as Cached from "./log/Cached.ts"

export interface Options {
  readonly waiting: number
  /** The number in words, for the title. */
  readonly inWords: string
  /** Whether the data directories are reused by the next run. */
  readonly isReused: boolean
}

/** 2100-01-01, Unix time in ms. */
const farAway = 4_102_444_800_000
const urls = ["https://127.0.0.1:1/webhooks?due="] as const

/** Sources of the events and of the tables of events and rows. */
const sources = [
  "bench/subjects/webhooks/Backlog.ts",
  "domain/webhook-delivery/Event.ts",
  "projections/deliveries/DeliveriesProjection.ts",
  "projections/deliveries/DeliveryLanes.ts",
  "projections/deliveries/DeliveryRows.ts",
  "streams/EventChain.ts",
  "streams/sqlite/Schema.ts"
]

const fill = (waiting: number) =>
  Effect.fnUntraced(function* (directory: string) {
    yield* Progress.say(`  preparing ${waiting} waiting deliveries`)
    const sender = yield* Sender.serveIn(directory)
    if (waiting === 0) return
    yield* sender.schedule({ deliveries: waiting, urls, dueAt: farAway, spreadMs: 1_000_000 })
  }, Effect.scoped)

/** A data directory with `waiting` deliveries and current read models. */
const prepared = ({ isReused }: Options, waiting: number) =>
  isReused
    ? Cached.filled(Cached.directoryOf(`waiting-${waiting}`, sources), fill(waiting))
    : Effect.tap(ScratchDirectory.make, fill(waiting))

const millis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1_000_000)

/** Starts a server and measures its memory when it is idle. */
const started = Effect.fnUntraced(function* (directory: string) {
  const began = yield* millis
  const sender = yield* Sender.serveIn(directory)
  const elapsedMs = (yield* millis) - began
  yield* Metering.settle(sender.pids)
  const cpuMs = ProcessTree.cpuMs(sender.pids)
  return {
    weight: yield* sender.weigh,
    measurement: {
      operations: 1,
      elapsedMs,
      cpuMs,
      peakRssBytes: ProcessTree.peakRssBytes(sender.pids)
    } satisfies Measurement
  }
}, Effect.scoped)

export const rowOf = (options: Options): Row => ({
  id: "T11",
  title: `Start with ${options.inWords} waiting deliveries`,
  unit: "starts",
  subjects: [
    {
      name: "inferlog",
      role: "ours",
      start: Effect.gen(function* () {
        const none = yield* prepared(options, 0)
        const some = yield* prepared(options, options.waiting)
        const measure = Effect.fnUntraced(function* () {
          const { weight: empty } = yield* started(none)
          const { measurement, weight } = yield* started(some)
          const result: Measurement = {
            ...measurement,
            notes: {
              "resident without any, MiB": empty.resident / 2 ** 20,
              "resident, MiB": weight.resident / 2 ** 20,
              "bytes resident for each": (weight.resident - empty.resident) / options.waiting,
              "bytes of the main thread's heap for each": (weight.heap - empty.heap) / options.waiting
            }
          }
          return result
        })
        return { measure }
      })
    }
  ],
  targets: {}
})

export const rows: ReadonlyArray<Row> = [
  rowOf({ waiting: 10_000, inWords: "ten thousand", isReused: true }),
  rowOf({ waiting: 100_000, inWords: "a hundred thousand", isReused: true }),
  rowOf({ waiting: 1_000_000, inWords: "a million", isReused: true })
]
