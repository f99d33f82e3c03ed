/** Leases that another node follows: their workers may report to any node. */
import { Effect, Layer } from "effect"
import * as JsonText from "#domain/JsonText.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as LogLines from "#domain/inference-request/LogLines.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { ProviderOutcome, RunOutcome } from "#domain/Outcome.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { Payloads } from "#streams/Payload.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as Lease from "#src/features/providers/pull/Lease.ts"
import type { LeasedRun } from "#src/features/providers/pull/LeaseId.ts"
import * as Fallback from "./Fallback.ts"
import * as FollowedTime from "./FollowedTime.ts"
import * as Mapping from "./Mapping.ts"
import * as OutcomeRecord from "./OutcomeRecord.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { LeasesElsewhere, type Progress } from "#src/features/providers/workers/LeasesElsewhere.ts"
import { LeaseUnattended } from "#src/features/providers/workers/WorkerErrors.ts"

/** Leases whose last heartbeats are stored. */
const rememberedLeases = 10_000

/** What was reported since the last record. */
interface Unrecorded extends Progress {
  /** When it was last recorded, on the monotonic clock, ms. */
  readonly recordedAt: number
}

const make = Effect.gen(function* () {
  const actors = yield* RequestActors
  const steady = yield* SteadyTime
  const catalog = yield* Catalog
  const payloads = yield* Payloads
  const { record } = yield* OutcomeRecord.make
  const unrecorded = RecentlyUsed.make<Unrecorded>({ capacity: rememberedLeases })

  const entryOf = ({ submitted: { model, modelVersion } }: Request) =>
    // The node that follows the run may know the model.
    Effect.mapError(catalog.findVersion(model, modelVersion), () => new LeaseUnattended())

  const heartbeat: LeasesElsewhere["heartbeat"] = Effect.fn("LeasesElsewhere.heartbeat")(function* (
    leaseId,
    { attempt, requestId },
    request,
    { fraction, logs }
  ) {
    const entry = yield* Effect.orElseSucceed(entryOf(request), () => null)
    const leaseMs = Lease.leaseMsOf(entry === null ? undefined : Mapping.bindingOf(entry, request))
    const now = yield* MonotonicTime.millis
    const before = unrecorded.get(leaseId) ?? { recordedAt: -Infinity, fraction: null, logs: [] }
    const progress = {
      fraction: fraction ?? before.fraction,
      logs: LogLines.newest([...before.logs, ...logs])
    }
    if (now - before.recordedAt < leaseMs / 3) {
      unrecorded.set(leaseId, { ...progress, recordedAt: before.recordedAt })
    } else {
      unrecorded.set(leaseId, { recordedAt: now, fraction: null, logs: [] })
      const at = yield* steady.now
      yield* actors
        .execute(requestId, { _tag: "RecordProgress", at, attempt, ...progress })
        .pipe(Effect.catchTag(["RequestNotFound", "NotDispatchable", "RequestNotEnded"], Effect.die))
    }
    return { leaseMs, cancelRequested: request.cancelRequested }
  })

  const submittedInput = ({ requestId }: LeasedRun, { submitted }: Request) =>
    payloads.open(
      StreamName.make(InferenceRequest.aggregate.category, requestId),
      "input",
      submitted.payloads.input
    )

  /** As the node that follows the lease would do it. */
  const mapped = (
    run: LeasedRun,
    request: Request,
    {
      entry,
      reported,
      now
    }: { readonly entry: CatalogEntry; readonly reported: ProviderOutcome; readonly now: number }
  ): Effect.Effect<RunOutcome, EventStoreError | BlobStoreError> => {
    const binding = Mapping.bindingOf(entry, request)
    if (binding === undefined) return Effect.succeed(OutcomeRecord.refused("The model is no longer offered."))
    // By the node that follows it; whether it took the run over is unknown here.
    const since = request.phase._tag === "Running" ? request.phase.runStartedAt : null
    const outcome = Effect.flatMap(submittedInput(run, request), (text) =>
      Mapping.outcomeOf(
        { entry, binding, submitted: JsonText.parse(text) },
        reported,
        FollowedTime.seconds(request, { now, since })
      )
    ).pipe(
      Effect.catchTag("PayloadUnavailable", ({ reason }) =>
        Effect.succeed(OutcomeRecord.refused(`The input is ${reason}.`))
      )
    )
    return Effect.map(outcome, (one) => Fallback.of(one, entry, request))
  }

  const end: LeasesElsewhere["end"] = Effect.fn("LeasesElsewhere.end")(function* (run, request, reported) {
    const { accountId } = request.submitted
    const now = yield* steady.now
    const entry = yield* entryOf(request)
    const outcome =
      entry === null
        ? OutcomeRecord.refused("The model is no longer offered.")
        : yield* mapped(run, request, { entry, reported, now })
    yield* record({ job: { accountId, ...run }, entry, outcome, at: now, startedAt: null })
  })

  return { heartbeat, end }
})

export const layer = Layer.effect(LeasesElsewhere, make)
