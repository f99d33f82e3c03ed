/** What workers ask of this node (docs/workers.md): a job, and to be heard about the one that they have. */
import { Context, Effect, Layer } from "effect"
import type { Request } from "#domain/inference-request/State.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { Nodes } from "#src/cluster/Nodes.ts"
import { Catalog } from "#src/models/Catalog.ts"
import * as CurrentRun from "#src/providers/pull/CurrentRun.ts"
import * as Lease from "#src/providers/pull/Lease.ts"
import * as LeaseId from "#src/providers/pull/LeaseId.ts"
import { type Over, WorkerPool } from "#src/providers/pull/WorkerPool.ts"
import { RequestActors } from "#src/requests/RequestActors.ts"
import { RequestChanges } from "#src/requests/RequestChanges.ts"
import { MasterKey } from "#src/secrets/MasterKey.ts"
import { LeasesElsewhere } from "./LeasesElsewhere.ts"
import type { Worker } from "./WorkerAuthentication.ts"
import {
  type LeaseError,
  LeaseLost,
  LeaseNotFound,
  LeaseUnattended,
  ModelNotForWorker,
  NoSuchModel,
  TooManyWaiting
} from "./WorkerErrors.ts"

export interface ClaimedJob {
  readonly lease: Lease.Lease
  /** The model that the worker is to run: where a wrapper was submitted to, the one that it wraps. */
  readonly modelEndpoint: ModelEndpoint
}

export interface Progress {
  readonly fraction: number | null
  readonly logs: ReadonlyArray<string>
}

export interface Heard {
  /** How long the lease lasts from now on, ms. */
  readonly leaseMs: number
  readonly cancelRequested: boolean
}

/** A call about a lease. */
export interface OfLease {
  readonly worker: Worker
  readonly leaseId: string
}

type Found = { readonly run: LeaseId.LeasedRun } & (
  | { readonly _tag: "Here"; readonly lease: Lease.Lease }
  | { readonly _tag: "Elsewhere"; readonly leases: LeasesElsewhere; readonly request: Request }
  | { readonly _tag: "Over"; readonly over: Over }
)

/** Calls that wait at once with one key. */
const mostWaiting = 1_000

/** Until an outcome is on the log; then the worker is asked to say it again. */
const recordingLimit = "20 seconds"

export class WorkerCalls extends Context.Service<
  WorkerCalls,
  {
    /**
     * A job of one of `models`, `null` for those of every model that the worker may take, within `waitMs`; `null` when there
     * is none. Interrupted, the worker gets none, or its run is given back.
     */
    claim(options: {
      readonly worker: Worker
      readonly models: ReadonlyArray<string> | null
      readonly waitMs: number
    }): Effect.Effect<ClaimedJob | null, NoSuchModel | ModelNotForWorker | TooManyWaiting>
    /** The worker lives: its lease begins anew. */
    heartbeat(lease: OfLease, progress: Progress): Effect.Effect<Heard, LeaseError>
    /** How the run ended. On the log when it returns; said again it changes nothing. */
    end(lease: OfLease, outcome: ProviderOutcome): Effect.Effect<void, LeaseError>
    /** The worker gives the run back, which counts as no try. On the log when it returns; said again it changes nothing. */
    release(lease: OfLease): Effect.Effect<void, LeaseError>
    /** The job has not reached the worker. */
    readonly giveBack: (lease: Lease.Lease) => void
  }
>()("inferlog/src/workers/WorkerCalls") {
  static readonly layer = Layer.effect(
    WorkerCalls,
    Effect.gen(function* () {
      const pool = yield* WorkerPool
      const catalog = yield* Catalog
      const actors = yield* RequestActors
      const changes = yield* RequestChanges
      const nodes = yield* Nodes
      const elsewhere = yield* LeasesElsewhere
      const secret = (yield* MasterKey).keyFor(LeaseId.purpose)

      const giveBack = (lease: Lease.Lease) => pool.end(lease, "released", Lease.notNow)

      /** What is submitted to, with the model that runs then, of all that the worker is there for. */
      const servedBy = Effect.fnUntraced(function* (worker: Worker, models: ReadonlyArray<string> | null) {
        if (models?.some((model) => !worker.allows(model)) === true) return yield* new ModelNotForWorker()
        const entries = yield* catalog.all
        const serves = new Map<string, ModelEndpoint>()
        for (const { model, runs } of entries) {
          if (models === null ? worker.allows(runs) : models.includes(runs)) serves.set(model.endpoint, runs)
        }
        if (models !== null && serves.size === 0) return yield* new NoSuchModel()
        return serves
      })

      const claim: WorkerCalls["Service"]["claim"] = Effect.fn("WorkerCalls.claim")(function* ({
        models,
        waitMs,
        worker
      }) {
        const serves = yield* servedBy(worker, models)
        if (pool.pollers.countOf(worker.keyId) >= mostWaiting) return yield* new TooManyWaiting()
        const poller = pool.pollers.join({ worker, serves })
        yield* Effect.onInterrupt(Effect.timeoutOption(poller.arrived, waitMs), () =>
          Effect.sync(() => {
            const lease = poller.leave()
            if (lease !== null) giveBack(lease)
          })
        )
        const lease = poller.leave()
        const modelEndpoint = lease === null ? undefined : serves.get(lease.job.model.endpoint)
        return lease === null || modelEndpoint === undefined ? null : { lease, modelEndpoint }
      })

      /** Where a lease is that this node does not hold. */
      const lookUp = Effect.fnUntraced(function* (
        leaseId: string,
        run: LeaseId.LeasedRun
      ): Effect.fn.Return<Found, LeaseError> {
        const over = pool.over(leaseId)
        if (over !== undefined) return { _tag: "Over", run, over }
        const { state } = yield* actors.current(run.requestId)
        const current = CurrentRun.of(state, run.attempt)
        if (state._tag !== "Request" || current === null || current.jobId !== leaseId) {
          const isEnded = state._tag === "Request" && state.endedBy === run.attempt
          return { _tag: "Over", run, over: isEnded ? "ended" : "lost" }
        }
        // What a node that has gone down leaves is taken up by another one, or by this one.
        const isFollowed = current.node !== nodes.self && nodes.isAlive(current.node)
        if (!isFollowed || elsewhere === null) return yield* new LeaseUnattended()
        return { _tag: "Elsewhere", run, leases: elsewhere, request: state }
      })

      const find = ({ leaseId, worker }: OfLease): Effect.Effect<Found, LeaseError> =>
        Effect.suspend(() => {
          const run = LeaseId.open(secret, leaseId, worker.keyId)
          if (run === null) return Effect.fail(new LeaseNotFound())
          const lease = pool.lease(leaseId)
          return lease === undefined ? lookUp(leaseId, run) : Effect.succeed({ _tag: "Here", run, lease })
        })

      const heartbeat: WorkerCalls["Service"]["heartbeat"] = Effect.fnUntraced(function* (ofLease, progress) {
        const found = yield* find(ofLease)
        switch (found._tag) {
          case "Over":
            return yield* new LeaseLost()
          case "Elsewhere":
            return yield* found.leases.heartbeat(ofLease.leaseId, found.run, found.request, progress)
          case "Here": {
            const { lease } = found
            yield* Lease.renew(lease)
            if (progress.fraction !== null || progress.logs.length > 0)
              yield* lease.control.progress(progress)
            return { leaseMs: lease.leaseMs, cancelRequested: lease.cancelRequested }
          }
        }
      })

      /** The run's end is on the log. */
      const recorded = ({ attempt, requestId }: LeaseId.LeasedRun) =>
        Effect.scoped(
          Effect.gen(function* () {
            const changed = yield* changes.watch(requestId)
            while (CurrentRun.of((yield* actors.current(requestId)).state, attempt) !== null) yield* changed
          })
        ).pipe(
          Effect.timeoutOrElse({
            duration: recordingLimit,
            orElse: () => Effect.fail(new LeaseUnattended())
          })
        )

      /** Whether a worker that says `how` has said so before. What has ended need not be given back. */
      const isSaid = (over: Over | undefined, how: Over) =>
        over === how || (over === "ended" && how === "released")

      const end = Effect.fnUntraced(function* (
        ofLease: OfLease,
        how: Exclude<Over, "lost">,
        outcome: ProviderOutcome
      ): Effect.fn.Return<void, LeaseError> {
        const found = yield* find(ofLease)
        switch (found._tag) {
          case "Elsewhere":
            return yield* found.leases.end(found.run, found.request, outcome)
          case "Here":
            pool.end(found.lease, how, outcome)
            yield* recorded(found.run)
            return isSaid(pool.over(ofLease.leaseId), how) ? undefined : yield* new LeaseLost()
          case "Over":
            return isSaid(found.over, how) ? undefined : yield* new LeaseLost()
        }
      })

      return WorkerCalls.of({
        claim,
        heartbeat,
        end: Effect.fn("WorkerCalls.end")((lease, outcome) => end(lease, "ended", outcome)),
        release: Effect.fn("WorkerCalls.release")((lease) => end(lease, "released", Lease.notNow)),
        giveBack
      })
    })
  )
}
