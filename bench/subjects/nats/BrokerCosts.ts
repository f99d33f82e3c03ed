/** What a measurement cost a broker and those that work with it, apart and together. */
import { Effect } from "effect"
import * as Metering from "../../harness/Metering.ts"
import * as ProcessTree from "../../harness/ProcessTree.ts"
import type { Measurement } from "../../harness/Subject.ts"
import type { Broker } from "./Broker.ts"

export interface Options {
  readonly broker: Broker
  /** Of the others. */
  readonly pids: ReadonlyArray<number>
  /** How they are called, and what one operation is: for the notes. */
  readonly who: string
  readonly one: string
}

type Work = Omit<Measurement, "cpuMs" | "peakRssBytes">

/** µs of CPU time for each operation. */
const each = (cpuMs: number, { operations }: Work) => (1_000 * cpuMs) / operations

/** Cores of the machine that were at work, the load included. */
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

/** CPU time and memory are of all of them, the broker too. */
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

/** With what the broker's files have grown by. */
export const withGrowth = <E, R>({ broker, one }: Options, work: Effect.Effect<Measurement, E, R>) =>
  Effect.suspend(() => {
    const before = broker.diskBytes()
    return Effect.map(work, (done): Measurement => {
      const bytes = (broker.diskBytes() - before) / done.operations
      return { ...done, notes: { ...done.notes, [`bytes on the broker's disk per ${one}`]: bytes } }
    })
  })
