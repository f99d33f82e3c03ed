/** What a run reports about its provider. */
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"

export interface WatchedJob {
  readonly requestId: string
  readonly input: Json
}

/** Reports about one run; its end only once. */
export interface Watch {
  /** The run is at its provider. */
  readonly asked: (job: WatchedJob) => void
  /** `null` if it ended without an outcome, for example because the node stops. */
  readonly ended: (outcome: ProviderOutcome | null) => void
  /** The run exceeded its model's limit; `isHeardOf`: the provider had reported on it. */
  readonly timedOut: (isHeardOf: boolean) => void
}

/** For a run that says nothing about its provider. */
export const unwatched: Watch = {
  asked: () => undefined,
  ended: () => undefined,
  timedOut: () => undefined
}
