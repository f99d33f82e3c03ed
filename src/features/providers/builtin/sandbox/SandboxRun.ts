/** Runs of sandbox models: they do no work and only let time pass (decisions, "Built-in models"). */
import { Effect } from "effect"
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import type { Quantity } from "#domain/Money.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as Later from "#src/kernel/async/Later.ts"
import type { Job, RunControl } from "../../Provider.ts"

export type SandboxRun = (job: Job, control: RunControl) => Effect.Effect<ProviderOutcome>

export const stopped: ProviderOutcome = { _tag: "Stopped" }

export const succeeded = (output: Json, delivered: Quantity): ProviderOutcome => ({
  _tag: "Succeeded",
  output,
  delivered
})

/** A member of an object input; `undefined` if absent. */
export const member = (input: Json, name: string): Json | undefined =>
  isObject(input) && Object.hasOwn(input, name) ? input[name] : undefined

/** The `delayMs` of an input; 0 by default. */
export const delayOf = (input: Json): number => {
  const delayMs = member(input, "delayMs")
  return typeof delayMs === "number" ? delayMs : 0
}

/** Starts, waits for the input's `delayMs`, and ends in `outcome`. Takes no fiber. */
export const delayed = (
  job: Job,
  control: RunControl,
  outcome: ProviderOutcome
): Effect.Effect<ProviderOutcome> => {
  const ms = delayOf(job.input)
  control.start()
  return ms <= 0
    ? Effect.succeed(outcome)
    : Later.map(control.isStoppedWithin(ms), (isStopped) => (isStopped ? stopped : outcome))
}
