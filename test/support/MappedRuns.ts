/** Runs with a mapped input, and maps what is reported, as the dispatcher does. */
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome, RunOutcome } from "#domain/Outcome.ts"
import * as Mapping from "#src/features/dispatch/Mapping.ts"

/** The outcome of a run that takes `seconds`. */
export const around = (
  run: Mapping.MappedRun,
  seconds: number,
  atProvider: (input: Json) => Effect.Effect<ProviderOutcome>
): Effect.Effect<RunOutcome> =>
  Effect.matchEffect(Mapping.inputOf(run), {
    onSuccess: (input) =>
      Effect.flatMap(atProvider(input), (reported) => Mapping.outcomeOf(run, reported, seconds)),
    onFailure: Effect.succeed
  })
