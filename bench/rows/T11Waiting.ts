/** T11: what deliveries that wait for their time cost a server in memory, and at its start. */
import { Clock, Effect } from "effect"
import * as ProcessTree from "../harness/ProcessTree.ts"
import * as Metering from "../harness/Metering.ts"
import * as Progress from "../harness/Progress.ts"
import type { Measurement, Row } from "../harness/Subject.ts"
import * as Sender from "../subjects/webhooks/Sender.ts"
import * as Cached from "./log/Cached.ts"

/** 2100-01-01, Unix time in ms. */
const farAway = 4_102_444_800_000
const urls = ["https://127.0.0.1:1/webhooks?due="] as const

/** Sources of the events, and of the tables that they and their rows are in. */
const sources = [
  "bench/subjects/webhooks/Backlog.ts",
  "domain/webhook-delivery/Event.ts",
  "projections/deliveries/DeliveriesProjection.ts",
  "projections/deliveries/DeliveryLanes.ts",
  "projections/deliveries/DeliveryRows.ts",
  "streams/EventChain.ts",
  "streams/sqlite/Schema.ts"
]

/** A data directory with so many that wait, and read models that are current. */
const prepared = (waiting: number) =>
  Cached.filled(Cached.directoryOf(`waiting-${waiting}`, sources), (filling) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* Progress.say(`  prepares ${waiting} deliveries that wait`)
        const sender = yield* Sender.serveIn(filling)
        if (waiting > 0)
          yield* sender.schedule({ deliveries: waiting, urls, dueAt: farAway, spreadMs: 1_000_000 })
      })
    )
  )

const millis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1_000_000)

/** Starts a server, and weighs it when it is at rest. */
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

export const rowOf = (waiting: number, inWords: string): Row => ({
  id: "T11",
  title: `Start with ${inWords} waiting deliveries`,
  unit: "starts",
  subjects: [
    {
      name: "inferlog",
      role: "ours",
      start: Effect.gen(function* () {
        const none = yield* prepared(0)
        const some = yield* prepared(waiting)
        const measure = Effect.fnUntraced(function* () {
          const { weight: empty } = yield* started(none)
          const { measurement, weight } = yield* started(some)
          const result: Measurement = {
            ...measurement,
            notes: {
              "resident without any, MiB": empty.resident / 2 ** 20,
              "resident, MiB": weight.resident / 2 ** 20,
              "bytes resident for each": (weight.resident - empty.resident) / waiting,
              "bytes of the main thread's heap for each": (weight.heap - empty.heap) / waiting
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
  rowOf(10_000, "ten thousand"),
  rowOf(100_000, "a hundred thousand"),
  rowOf(1_000_000, "a million")
]
