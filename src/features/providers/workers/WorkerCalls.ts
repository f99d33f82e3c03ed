/** The calls of workers to this node (docs/operators/workers.md): fetch a job, and report on it. */
import { Context, Effect, Layer } from "effect"
import type { Request, State } from "#domain/inference-request/State.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as ChunkReport from "../pull/ChunkReport.ts"
import * as CurrentRun from "../pull/CurrentRun.ts"
import * as Lease from "../pull/Lease.ts"
import * as LeaseId from "../pull/LeaseId.ts"
import { type Over, WorkerPool } from "../pull/WorkerPool.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { RequestChanges } from "#src/features/requests/RequestChanges.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { type Heard, LeasesElsewhere, type Progress } from "./LeasesElsewhere.ts"
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

/** A call about a lease. */
export interface OfLease {
  readonly worker: Worker
  readonly leaseId: string
}

type Found = { readonly run: LeaseId.LeasedRun } & (
  | { readonly _tag: "Here"; readonly lease: Lease.Lease }
  | { readonly _tag: "Elsewhere"; readonly leases: LeasesElsewhere; readonly request: Request }
  | { readonly _tag: "Over"; readonly over: Over; readonly state: State | null }
)

const silence: Progress = { fraction: null, logs: [] }

/** The most waiting calls with one key. */
const mostWaiting = 1_000

/** How long to wait until an outcome is on the log. Then the worker has to repeat the call. */
const recordingLimit = "20 seconds"

export class WorkerCalls extends Context.Service<
  WorkerCalls,
  {
    /** A job of `models` (`null`: of any model allowed) within `waitMs`; `null` without one. Released if interrupted. */
    claim(options: {
      readonly worker: Worker
      readonly models: ReadonlyArray<string> | null
      readonly waitMs: number
    }): Effect.Effect<Lease.Lease | null, NoSuchModel | ModelNotForWorker | TooManyWaiting>
    /** Renews the lease. */
    heartbeat(lease: OfLease, progress: Progress): Effect.Effect<Heard, LeaseError>
    /** Renews the lease, and takes chunks of the output. Those of a lease that another node follows are not kept. */
    chunks(
      lease: OfLease,
      report: ChunkReport.ChunkReport
    ): Effect.Effect<
      { readonly heard: Heard; readonly taken: Exclude<ChunkReport.Taken, { readonly _tag: "Failed" }> },
      LeaseError
    >
    /** Records the end of the run. Durable when it returns; repeating it changes nothing. */
    end(lease: OfLease, outcome: ProviderOutcome): Effect.Effect<void, LeaseError>
    /** Releases the run, which counts as no try. Durable when it returns; repeating it changes nothing. */
    release(lease: OfLease): Effect.Effect<void, LeaseError>
    /** The job has not reached the worker. */
    readonly giveBack: (lease: Lease.Lease) => void
  }
>()("inferlog/src/features/providers/workers/WorkerCalls") {
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

      const handBack = ({ requestId }: LeaseId.LeasedRun) => pool.handedBack.again(requestId)
      const giveBack = (lease: Lease.Lease) => pool.end(lease, "released", handBack(lease.job))

      /** Also true if this node does not know the model after asking twice, because it may learn of it. */
      const wasOffered = (model: string) =>
        catalog
          .lastOffered(model)
          .pipe(
            Effect.retry({ times: 1 }),
            Effect.match({ onSuccess: (entry) => entry?.runs === model, onFailure: () => true })
          )

      /** Includes withdrawn models, whose accepted requests still run. Workers run base models, never wrappers. */
      const isKnown = Effect.fnUntraced(function* (models: ReadonlyArray<string>) {
        const entries = yield* catalog.all
        if (entries.some(({ runs }) => models.includes(runs))) return true
        return (yield* Effect.filter(models, wasOffered)).length > 0
      })

      const claim: WorkerCalls["Service"]["claim"] = Effect.fn("WorkerCalls.claim")(function* ({
        models,
        waitMs,
        worker
      }) {
        if (models?.some((model) => !worker.allows(model)) === true) return yield* new ModelNotForWorker()
        if (models !== null && !(yield* isKnown(models))) return yield* new NoSuchModel()
        if (pool.pollers.countOf(worker.keyId) >= mostWaiting) return yield* new TooManyWaiting()
        const poller = pool.pollers.join({ worker, models: models === null ? null : new Set(models) })
        yield* Effect.onInterrupt(Effect.timeoutOption(poller.arrived, waitMs), () =>
          Effect.sync(() => {
            const lease = poller.leave()
            if (lease !== null) giveBack(lease)
          })
        )
        return poller.leave()
      })

      /** The state of a lease that this node has not followed to its end. */
      const overBy = (state: State, { attempt }: LeaseId.LeasedRun): Over =>
        state._tag === "Request" && state.endedBy === attempt ? "ended" : "lost"

      /** The node that follows a lease which is not on this node. */
      const lookUp = Effect.fnUntraced(function* (
        leaseId: string,
        run: LeaseId.LeasedRun
      ): Effect.fn.Return<Found, LeaseError> {
        const over = pool.over(leaseId)
        if (over !== undefined) return { _tag: "Over", run, over, state: null }
        const { state } = yield* actors.current(run.requestId)
        const current = CurrentRun.of(state, run.attempt)
        if (state._tag !== "Request" || current === null || current.jobId !== leaseId) {
          return { _tag: "Over", run, over: overBy(state, run), state }
        }
        // Another node, or this one, takes over what a stopped node leaves.
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

      const renewed = Effect.fnUntraced(function* (lease: Lease.Lease, worker: Worker) {
        yield* Lease.renew(lease)
        pool.heard(lease, worker)
        return { leaseMs: lease.leaseMs, cancelRequested: lease.cancelRequested }
      })

      const chunks: WorkerCalls["Service"]["chunks"] = Effect.fnUntraced(function* (ofLease, report) {
        const found = yield* find(ofLease)
        switch (found._tag) {
          case "Over":
            return yield* new LeaseLost()
          case "Elsewhere": {
            const { leases, request, run } = found
            const heard = yield* leases.heartbeat(ofLease.leaseId, run, request, silence)
            return { heard, taken: ChunkReport.notKept }
          }
          case "Here": {
            const { lease } = found
            const heard = yield* renewed(lease, ofLease.worker)
            const taken = ChunkReport.take(lease, report)
            if (taken._tag !== "Failed") return { heard, taken }
            pool.end(lease, "ended", taken.outcome)
            return yield* new LeaseLost()
          }
        }
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
            const heard = yield* renewed(lease, ofLease.worker)
            if (progress.fraction !== null || progress.logs.length > 0)
              yield* lease.control.progress(progress)
            return { ...heard, cancelRequested: lease.cancelRequested }
          }
        }
      })

      /** The request, when the end of the run is on the log. */
      const recorded = ({ attempt, requestId }: LeaseId.LeasedRun) =>
        Effect.scoped(
          Effect.gen(function* () {
            const changed = yield* changes.watch(requestId)
            while (true) {
              const { state } = yield* actors.current(requestId)
              if (CurrentRun.of(state, attempt) === null) return state
              yield* changed
            }
          })
        ).pipe(
          Effect.timeoutOrElse({
            duration: recordingLimit,
            orElse: () => Effect.fail(new LeaseUnattended())
          })
        )

      const howOf = (outcome: ProviderOutcome | null): Exclude<Over, "lost"> =>
        outcome === null ? "released" : "ended"

      /** Whether the worker has already reported this end. An ended run need not be released. */
      const isSaid = (over: Over, how: Over) => over === how || (over === "ended" && how === "released")

      /** Whether a worker's report counts. `state` is that after the run; `null` if the recorded end is known. */
      const heed = (
        over: Over,
        state: State | null,
        { attempt }: LeaseId.LeasedRun,
        outcome: ProviderOutcome | null
      ) => {
        const isTaken = outcome === null || state === null || CurrentRun.hasTaken(state, attempt, outcome)
        return isSaid(over, howOf(outcome)) && isTaken ? Effect.void : Effect.fail(new LeaseLost())
      }

      /** `null`: the worker releases the run. */
      const end = Effect.fnUntraced(function* (
        ofLease: OfLease,
        outcome: ProviderOutcome | null
      ): Effect.fn.Return<void, LeaseError> {
        const { leaseId } = ofLease
        const found = yield* find(ofLease)
        const { run } = found
        switch (found._tag) {
          case "Elsewhere": {
            yield* found.leases.end(run, found.request, outcome ?? handBack(run))
            const { state } = yield* actors.current(run.requestId)
            return yield* heed(howOf(outcome), state, run, outcome)
          }
          case "Here": {
            pool.end(found.lease, howOf(outcome), outcome ?? handBack(run))
            const state = yield* recorded(run)
            const over = pool.over(leaseId) ?? overBy(state, run)
            return yield* Effect.tapError(heed(over, state, run, outcome), () =>
              // A repeated late report is late again.
              Effect.sync(() => over === "ended" && pool.lose(leaseId))
            )
          }
          case "Over":
            return yield* heed(found.over, found.state, run, outcome)
        }
      })

      return WorkerCalls.of({
        claim,
        heartbeat,
        chunks,
        end: Effect.fn("WorkerCalls.end")(end),
        release: Effect.fn("WorkerCalls.release")((lease) => end(lease, null)),
        giveBack
      })
    })
  )
}
