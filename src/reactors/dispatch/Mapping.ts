/** Between the terms of a model and those of the provider that runs it. */
import { Clock, Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { ProviderOutcome, RunOutcome } from "#domain/Outcome.ts"
import type { CatalogEntry } from "#src/models/Catalog.ts"
import * as MonotonicTime from "#src/MonotonicTime.ts"

export interface MappedRun {
  readonly entry: CatalogEntry
  readonly binding: ProviderBinding
  /** As the client sent it. */
  readonly submitted: Json
}

/** The binding that the request's newest run was dispatched to; one that the model no longer has gives way to the first. */
export const bindingOf = ({ model }: CatalogEntry, { phase }: Request): ProviderBinding | undefined => {
  const name = "run" in phase ? phase.run.provider : null
  return model.providers.find((binding) => binding.name === name) ?? model.providers[0]
}

/** The model's outcome of what a provider reports; `seconds` is how long it took. */
export const outcomeOf = (
  { entry, submitted }: MappedRun,
  reported: ProviderOutcome,
  seconds: number
): Effect.Effect<RunOutcome> => {
  if (reported._tag !== "Succeeded") return Effect.succeed(reported)
  const { delivered, output } = reported
  if (delivered !== null) return Effect.succeed({ ...reported, delivered })
  return Effect.matchEager(entry.delivered({ input: submitted, output, seconds }), {
    onSuccess: (delivered): RunOutcome => ({ ...reported, delivered }),
    onFailure: ({ reason }): RunOutcome => ({ _tag: "ModelFailed", message: reason })
  })
}

/** Runs with the input that the provider is to be given, and tells the outcome in the model's terms. */
export const around = (
  run: MappedRun,
  atProvider: (input: Json) => Effect.Effect<ProviderOutcome>
): Effect.Effect<RunOutcome> =>
  Clock.clockWith((clock) => {
    const begunAt = MonotonicTime.millisOf(clock)
    return Effect.flatMap(atProvider(run.entry.runInput(run.submitted)), (reported) =>
      outcomeOf(run, reported, (MonotonicTime.millisOf(clock) - begunAt) / 1_000)
    )
  })
