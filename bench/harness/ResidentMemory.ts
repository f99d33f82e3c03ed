/** Samples the resident memory of processes while something is measured. */
import { Effect, Fiber, Schedule } from "effect"
import * as ProcessTree from "./ProcessTree.ts"

export const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The result of `work`, and the processes' memory together each second meanwhile, MiB. */
export const during = Effect.fnUntraced(function* <A, E, R>(
  pids: ReadonlyArray<number>,
  work: Effect.Effect<A, E, R>
) {
  const samples: Array<number> = []
  const sampling = yield* Effect.forkChild(
    Effect.repeat(
      Effect.sync(() => void samples.push(ProcessTree.rssBytes(pids) / 2 ** 20)),
      Schedule.spaced("1 second")
    )
  )
  const value = yield* work
  yield* Fiber.interrupt(sampling)
  return { value, samples }
})
