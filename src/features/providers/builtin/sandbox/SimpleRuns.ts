/** The sandbox models whose outcome is known at once. */
import { Effect, Schema } from "effect"
import { units } from "#domain/Money.ts"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { FlakyInput } from "#src/features/catalog/models/builtin/sandbox/Flaky.ts"
import { PartialInput } from "#src/features/catalog/models/builtin/sandbox/Partial.ts"
import { delayed, delayOf, member, succeeded, type SandboxRun } from "./SandboxRun.ts"

export const echo: SandboxRun = (job, control) =>
  delayed(job, control, succeeded({ value: member(job.input, "value") ?? null }, units(1)))

export const invalidOutput: SandboxRun = (job, control) =>
  delayed(job, control, succeeded({ label: 1, score: 2 }, units(1)))

const messageOr = (input: Json, fallback: string): string => {
  const message = member(input, "message")
  return typeof message === "string" ? message : fallback
}

/** An immediate refusal never starts; a delayed one does. */
export const fail: SandboxRun = (job, control) => {
  const refused: ProviderOutcome = {
    _tag: "ProviderError",
    message: messageOr(job.input, "The provider refused to run the model."),
    retryable: false
  }
  return delayOf(job.input) > 0 ? delayed(job, control, refused) : Effect.succeed(refused)
}

export const providerFail: SandboxRun = (job, control) =>
  delayed(job, control, {
    _tag: "ModelFailed",
    message: messageOr(job.input, "The model reported a failure.")
  })

const decodeFlaky = Schema.decodeUnknownSync(FlakyInput)

export const flaky: SandboxRun = (job, control) =>
  Effect.suspend(() =>
    job.attempt <= decodeFlaky(job.input).failures
      ? Effect.succeed({
          _tag: "ProviderError",
          message: "The connection to the model was lost.",
          retryable: true
        })
      : Effect.as(control.started, succeeded({ attempts: job.attempt }, units(1)))
  )

const decodePartial = Schema.decodeUnknownSync(PartialInput)

export const partial: SandboxRun = (job, control) =>
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
