/** The cost of a measurement for a NATS server and its clients, separately and in total. */
import { Effect } from "effect"
import * as Metering from "../../harness/Metering.ts"
import * as ProcessTree from "../../harness/ProcessTree.ts"
import type { Measurement } from "../../harness/Subject.ts"
import type { Broker } from "./Broker.ts"

export interface Options {
  readonly broker: Broker
  /** Processes of the clients. */
  readonly pids: ReadonlyArray<number>
  /** The name of the clients and of one operation, for the notes. */
  readonly who: string
  readonly one: string
}

type Work = Omit<Measurement, "cpuMs" | "peakRssBytes">

/** CPU time per operation, µs. */
const each = (cpuMs: number, { operations }: Work) => (1_000 * cpuMs) / operations

/** Busy cores of the machine, including the load. */
const withBusyCores = <E, R>(work: Effect.Effect<Work, E, R>) =>
  Effect.suspend(() => {
    const before = ProcessTree.machineMs()
    return Effect.map(work, (done): Work => {
      const busyMs = ProcessTree.machineMs() - before
      return {
        ...done,
        notes: { ...done.notes, "cores of the machine that were busy": busyMs / done.elapsedMs }
      }
    })
  })

/** CPU time and memory include the clients and the NATS server. */
export const meter = Effect.fnUntraced(function* <E, R>(
  { broker, one, pids, who }: Options,
  work: Effect.Effect<Work, E, R>
) {
  const before = { others: ProcessTree.cpuMs(pids), broker: ProcessTree.cpuMs([broker.pid]) }
  const measured = yield* Metering.meter([...pids, broker.pid], withBusyCores(work))
  const measurement: Measurement = {
    ...measured,
    notes: {
      ...measured.notes,
      [`CPU time of ${who}, µs per ${one}`]: each(ProcessTree.cpuMs(pids) - before.others, measured),
      [`CPU time of the broker, µs per ${one}`]: each(
        ProcessTree.cpuMs([broker.pid]) - before.broker,
        measured
      )
    }
  }
  return measurement
})

/** Adds the growth of the NATS server's files. */
export const withGrowth = <E, R>({ broker, one }: Options, work: Effect.Effect<Measurement, E, R>) =>
  Effect.suspend(() => {
    const before = broker.diskBytes()
    return Effect.map(work, (done): Measurement => {
      const bytes = (broker.diskBytes() - before) / done.operations
      return { ...done, notes: { ...done.notes, [`bytes on the broker's disk per ${one}`]: bytes } }
    })
  })
