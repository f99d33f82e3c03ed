/** Records reports about leases that another node follows, because a worker may report to any node. */
import { Context, type Effect } from "effect"
import type { Request } from "#domain/inference-request/State.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { LeasedRun } from "../pull/LeaseId.ts"
import type { LeaseUnattended } from "./WorkerErrors.ts"

export interface Progress {
  readonly fraction: number | null
  readonly logs: ReadonlyArray<string>
}

export interface Heard {
  /** The remaining time of the lease, ms. */
  readonly leaseMs: number
  readonly cancelRequested: boolean
}

export interface LeasesElsewhere {
  /** Recorded as progress, at most three times per lease, so that the following node sees that the worker lives. */
  readonly heartbeat: (
    leaseId: string,
    run: LeasedRun,
    request: Request,
    progress: Progress
  ) => Effect.Effect<Heard, LeaseUnattended | EventStoreError>
  /** Durable when it returns. */
  readonly end: (
    run: LeasedRun,
    request: Request,
    outcome: ProviderOutcome
  ) => Effect.Effect<void, LeaseUnattended | EventStoreError | BlobStoreError>
}

/** `null` on a single node. */
export const LeasesElsewhere = Context.Reference<LeasesElsewhere | null>(
  "inferlog/src/features/providers/workers/LeasesElsewhere",
  { defaultValue: () => null }
)
