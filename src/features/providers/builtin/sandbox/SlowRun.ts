import { Clock, Effect, Schema } from "effect"
import { slow as model, SlowInput } from "#src/features/catalog/models/builtin/sandbox/Slow.ts"
import { isStoppedWithin, stopped, succeeded, type SandboxRun } from "./SandboxRun.ts"

const decode = Schema.decodeUnknownSync(SlowInput)

/** Counts seconds on the monotonic clock, so that slow reports do not lengthen the run. */
export const slow: SandboxRun = Effect.fnUntraced(function* (job, control) {
  const { seconds } = decode(job.input)
  yield* control.started
  const startedAt = yield* Clock.monotonicTimeNanos
  const isStoppedUntil = Effect.fnUntraced(function* (second: number) {
    const elapsedMs = Number((yield* Clock.monotonicTimeNanos) - startedAt) / 1e6
    return yield* isStoppedWithin(control, second * 1_000 - elapsedMs)
  })
  for (let second = 1; second <= seconds; second++) {
    if (yield* isStoppedUntil(second)) return stopped
    yield* control.progress({ fraction: second / seconds, logs: [`${second} of ${seconds} seconds`] })
  }
  return (yield* isStoppedUntil(seconds))
    ? stopped
    : succeeded({ slept: seconds }, model.quantities(job.input).maxQuantity)
})
