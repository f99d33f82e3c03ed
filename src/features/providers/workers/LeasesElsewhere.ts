/** A worker may report to any node of an installation: this port records reports about leases that another node follows. */
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
  /** How long the lease lasts from now on, ms. */
  readonly leaseMs: number
  readonly cancelRequested: boolean
}

export interface LeasesElsewhere {
  /** Recorded as progress, at most three times a lease: the node that follows it sees that the worker lives. */
  readonly heartbeat: (
    leaseId: string,
    run: LeasedRun,
    request: Request,
    progress: Progress
  ) => Effect.Effect<Heard, LeaseUnattended | EventStoreError>
  /** On the log when it returns. */
  readonly end: (
    run: LeasedRun,
    request: Request,
    outcome: ProviderOutcome
  ) => Effect.Effect<void, LeaseUnattended | EventStoreError | BlobStoreError>
}

/** `null` on the only node. */
export const LeasesElsewhere = Context.Reference<LeasesElsewhere | null>(
  "inferlog/src/features/providers/workers/LeasesElsewhere",
  {
    defaultValue: () => null
  }
)
