/** What the end of a run at one provider means where the model has others. */
import { Effect } from "effect"
import type { RunOutcome } from "#domain/Outcome.ts"
import type { CatalogEntry } from "#src/models/Catalog.ts"

/**
 * A refusal is tried elsewhere before it counts, for as many runs as there are providers; and nobody waits for one that asks
 * to be left alone while another one could run: that one pauses, and not the request.
 */
const withOthers = (outcome: RunOutcome, providers: number, attempt: number): RunOutcome => {
  switch (outcome._tag) {
    case "ProviderError":
      return outcome.retryable || attempt >= providers ? outcome : { ...outcome, retryable: true }
    case "RateLimited":
      return { ...outcome, retryAfterMs: 0 }
    case "Succeeded":
    case "ModelFailed":
    case "Lost":
    case "Stopped":
      return outcome
  }
}

/** Of run number `attempt`. */
export const after = (
  run: Effect.Effect<RunOutcome>,
  { model }: CatalogEntry,
  attempt: number
): Effect.Effect<RunOutcome> =>
  model.providers.length === 1
    ? run
    : Effect.map(run, (outcome) => withOthers(outcome, model.providers.length, attempt))
