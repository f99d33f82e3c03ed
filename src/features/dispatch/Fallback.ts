/** What the end of a run at one provider means if the model has other providers. */
import type { Request } from "#domain/inference-request/State.ts"
import type { RunOutcome } from "#domain/Outcome.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"

/**
 * A refusal is tried at other providers before it counts, until as many runs have failed as there are providers. While
 * another provider can run the request, a provider that asks for a pause pauses alone, without the request.
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

/** The outcome of the request's newest run. Runs that were deferred, released or lost have failed at no provider. */
export const of = (
  outcome: RunOutcome,
  { model }: CatalogEntry,
  { retries }: Pick<Request, "retries">
): RunOutcome =>
  model.providers.length === 1 ? outcome : withOthers(outcome, model.providers.length, retries.transport + 1)
