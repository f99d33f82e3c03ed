/** Detects whether other processes used the machine during a measurement. */
import { Clock, Context, Effect } from "effect"
import * as ProcessTree from "./ProcessTree.ts"

/** Share of one core. If other processes use more, the measurement is void. */
const allowedShare = 1 / 3

export interface Observed<A> {
  readonly value: A
  /** Cores that other processes used: 0.5 is half a core. `null` where it cannot be measured. */
  readonly othersShare: number | null
}

export const isDisturbed = ({ othersShare }: Observed<unknown>): boolean =>
  othersShare !== null && othersShare > allowedShare

/** CPU time so far of all processes except this one and its descendants, ms; `null` where it cannot be measured. */
export const OthersCpu = Context.Reference<() => number | null>("inferlog/bench/OthersCpu", {
  defaultValue: () => () =>
    ProcessTree.isSupported ? ProcessTree.machineMs() - ProcessTree.cpuMs([process.pid]) : null
})

const sample = Effect.gen(function* () {
  const wallMs = Number(yield* Clock.currentTimeNanos) / 1_000_000
  return { wallMs, othersMs: (yield* OthersCpu)() }
})

export const observe = Effect.fnUntraced(function* <A, E, R>(measure: Effect.Effect<A, E, R>) {
  const before = yield* sample
  const value = yield* measure
  const after = yield* sample
  const othersShare =
    before.othersMs === null || after.othersMs === null
      ? null
      : Math.max(0, (after.othersMs - before.othersMs) / (after.wallMs - before.wallMs))
  const observed: Observed<A> = { value, othersShare }
  return observed
})
