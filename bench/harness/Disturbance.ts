/** Whether the machine was ours while something was measured. */
import { Clock, Context, Effect } from "effect"
import * as ProcessTree from "./ProcessTree.ts"

/** Of one core. When others took more, what was measured is void. */
const allowedShare = 1 / 3

export interface Observed<A> {
  readonly value: A
  /** Cores that others kept busy: 0.5 is half a core. `null` where it cannot be told. */
  readonly othersShare: number | null
}

export const isDisturbed = ({ othersShare }: Observed<unknown>): boolean =>
  othersShare !== null && othersShare > allowedShare

/** CPU time that others than this process and its descendants have taken so far, ms; `null` where it cannot be told. */
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
