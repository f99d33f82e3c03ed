import { type SandboxRun, stopped, succeeded, delayed, delayOf, member } from "./sandbox/SandboxRun.ts"
import { chat, stream } from "./sandbox/StreamRun.ts"
import { Clock, Effect, Schema } from "effect"
import { slow as model, SlowInput } from "#src/features/catalog/models/builtin/sandbox/Slow.ts"
import { units } from "#domain/Money.ts"
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { FlakyInput } from "#src/features/catalog/models/builtin/sandbox/Flaky.ts"
import { PartialInput } from "#src/features/catalog/models/builtin/sandbox/Partial.ts"

/** The sandbox models whose outcome is known at once. */
const echo: SandboxRun = (job, control) => delayed(job, control, succeeded(echoed(job.input), units(1)))

/** The value as it came, also a number. */
const echoed = (input: Json): Json =>
  isObject(input) && Object.hasOwn(input, "value")
    ? JsonText.edit(input, { omit: ["delayMs"] })
    : { value: null }

const invalidOutput: SandboxRun = (job, control) =>
  delayed(job, control, succeeded({ label: 1, score: 2 }, units(1)))

const messageOr = (input: Json, fallback: string): string => {
  const message = member(input, "message")
  return typeof message === "string" ? message : fallback
}

/** An immediate refusal never starts; a delayed one does. */
const fail: SandboxRun = (job, control) => {
  const refused: ProviderOutcome = {
    _tag: "ProviderError",
    message: messageOr(job.input, "The provider refused to run the model."),
    retryable: false
  }
  return delayOf(job.input) > 0 ? delayed(job, control, refused) : Effect.succeed(refused)
}

const providerFail: SandboxRun = (job, control) =>
  delayed(job, control, {
    _tag: "ModelFailed",
    message: messageOr(job.input, "The model reported a failure.")
  })

const decodeFlaky = Schema.decodeUnknownSync(FlakyInput)

const flaky: SandboxRun = (job, control) =>
  Effect.suspend(() =>
    job.attempt <= decodeFlaky(job.input).failures
      ? Effect.succeed<ProviderOutcome>({
          _tag: "ProviderError",
          message: "The connection to the model was lost.",
          retryable: true
        })
      : Effect.as(control.started, succeeded({ attempts: job.attempt }, units(1)))
  )

const decodePartial = Schema.decodeUnknownSync(PartialInput)

const partial: SandboxRun = (job, control) =>
  Effect.suspend(() => {
    const { count, deliver } = decodePartial(job.input)
    const items = Array.from({ length: Math.min(count, deliver) }, (_, index) => ({ index }))
    return Effect.as(
      control.started,
      items.length === 0
        ? { _tag: "ModelFailed", message: "The model delivered none of the items." }
        : succeeded({ items }, units(items.length))
    )
  })

const decode = Schema.decodeUnknownSync(SlowInput)

/** Counts seconds on the monotonic clock, so that slow reports do not lengthen the run. */
const slow: SandboxRun = Effect.fnUntraced(function* (job, control) {
  const { seconds } = decode(job.input)
  yield* control.started
  const startedAt = yield* Clock.monotonicTimeNanos
  const isStoppedUntil = Effect.fnUntraced(function* (second: number) {
    const elapsedMs = Number((yield* Clock.monotonicTimeNanos) - startedAt) / 1e6
    const leftMs = second * 1_000 - elapsedMs
    return leftMs > 0 && (yield* control.isStoppedWithin(leftMs))
  })
  for (let second = 1; second <= seconds; second++) {
    if (yield* isStoppedUntil(second)) return stopped
    yield* control.progress({ fraction: second / seconds, logs: [`${second} of ${seconds} seconds`] })
  }
  return (yield* isStoppedUntil(seconds))
    ? stopped
    : succeeded({ slept: seconds }, model.quantities(job.input).maxQuantity)
})

const runs: ReadonlyMap<string, SandboxRun> = new Map([
  ["sandbox/echo", echo],
  ["sandbox/slow", slow],
  ["sandbox/fail", fail],
  ["sandbox/provider-fail", providerFail],
  ["sandbox/invalid-output", invalidOutput],
  ["sandbox/partial", partial],
  ["sandbox/flaky", flaky],
  ["sandbox/stream", stream],
  ["sandbox/chat", chat]
])

/** The run of a sandbox model; `null` for another model. */
export const find = (endpoint: string): SandboxRun | null => runs.get(endpoint) ?? null
