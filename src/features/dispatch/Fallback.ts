/** What the end of a run at one provider means where the model has others. */
import { Effect } from "effect"
import type { Request } from "#domain/inference-request/State.ts"
import type { RunOutcome } from "#domain/Outcome.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"

/**
 * A refusal is tried elsewhere before it counts, until as many runs have failed as there are providers; and nobody waits for
 * one that asks to be left alone while another one could run: that one pauses, and not the request.
 */
const withOthers = (outcome: RunOutcome, providers: number, failed: number): RunOutcome => {
  switch (outcome._tag) {
    case "ProviderError":
      return outcome.retryable || failed >= providers ? outcome : { ...outcome, retryable: true }
    case "RateLimited":
      return { ...outcome, retryAfterMs: 0 }
    case "Unreachable":
    case "Succeeded":
    case "ModelFailed":
    case "Lost":
    case "Stopped":
      return outcome
  }
}

/** Of the request's newest run. Runs that were put off, given back or lost have failed at no provider. */
export const after = (
  run: Effect.Effect<RunOutcome>,
  { model }: CatalogEntry,
  { retries }: Pick<Request, "retries">
): Effect.Effect<RunOutcome> =>
  model.providers.length === 1
    ? run
    : Effect.map(run, (outcome) => withOthers(outcome, model.providers.length, retries.transport + 1))
