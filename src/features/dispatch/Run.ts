/**
 * One claimed run, from its input to its recorded outcome. It takes a fiber only for what waits: a run that ends at once, with
 * its input in memory, takes none, and one that only waits for a time or a stop holds none.
 */
import { Cause, Effect, Exit, type Fiber, Result } from "effect"
import * as WallTime from "#domain/inference-request/WallTime.ts"
import type { ProviderOutcome, RunOutcome } from "#domain/Outcome.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import { EvaluationFor } from "#src/features/catalog/models/expression/EvaluationFor.ts"
import type { Watch } from "#src/features/provider-health/Watch.ts"
import type { Job, Provider } from "#src/features/providers/Provider.ts"
import * as Later from "#src/kernel/async/Later.ts"
import * as Settled from "#src/kernel/async/Settled.ts"
import type { Lease } from "#src/kernel/limits/MemoryBudget.ts"
import * as InputWeight from "#src/kernel/memory/InputWeight.ts"
import type { Claimed } from "./Claimed.ts"
import * as Fallback from "./Fallback.ts"
import * as FollowedTime from "./FollowedTime.ts"
import * as Mapping from "./Mapping.ts"
import * as OutcomeRecord from "./OutcomeRecord.ts"
import type { Prepared } from "./Preparing.ts"
import type { About } from "./RunFibers.ts"
import type { RunParts } from "./RunParts.ts"
import { RunReport } from "./RunReport.ts"
import * as TimeLimit from "./TimeLimit.ts"

export interface RunOptions {
  readonly about: About
  /** Learns how the run does at its provider. */
  readonly watch: Watch
  /** Called once, when its outcome is recorded or the run was given back. */
  readonly onOver: () => void
}

/** How long a run past its model's limit may take to stop before it is abandoned, ms. */
const stoppingMs = 5_000

const jobOf = ({ id, request }: Claimed) => ({
  requestId: id,
  accountId: request.submitted.accountId,
  submittedAt: WallTime.dateOf(request.submitted),
  attempt: request.attempt
})

export class Run {
  readonly #parts: RunParts
  readonly #claimed: Claimed
  readonly #options: RunOptions
  readonly #report: RunReport
  /** When this node took over the run, Unix time in ms; `null` for its own runs. */
  readonly #takenOverAt: number | null
  /** What the run waits for. */
  #waiting: Later.Waiting | null = null
  #isInterrupted = false
  /** Whether it is past its model's limit. */
  #isLate = false
  /** Memory that a run which was taken over has waited for. */
  #memory: Lease | null = null

  constructor(parts: RunParts, claimed: Claimed, options: RunOptions) {
    const { request } = claimed
    this.#parts = parts
    this.#claimed = claimed
    this.#options = options
    this.#takenOverAt = claimed.jobId === null ? null : parts.now()
    const startBy = request.startedAt === null ? request.submitted.deadlines?.startBy : undefined
    this.#report = new RunReport(parts, options.about, {
      id: claimed.id,
      attempt: request.attempt,
      startBy: startBy ?? null
    })
  }

  get attempt(): number {
    return this.#claimed.request.attempt
  }

  /** Asks the provider to stop it, because the client cancels. */
  stop(): void {
    this.#report.stop.send()
  }

  /** Ends the run because the node stops. An outcome that is known already is recorded first, if the log accepts it. */
  interrupt(): void {
    this.#isInterrupted = true
    this.#waiting?.interrupt()
  }

  begin(): void {
    if (this.#isInterrupted) return this.#giveBack()
    const { memory, request } = this.#claimed
    if (memory !== null) return this.#prepare()
    // It was taken over and waits for memory here, because its provider already works on it.
    const { runs } = this.#parts.memory
    this.#await(runs.wait(request.submitted.accountId, InputWeight.ofRequest(request)), (lease) => {
      this.#memory = lease
      this.#prepare()
    })
  }

  #prepare(): void {
    this.#await(
      Settled.of(() => this.#parts.prepare(this.#claimed)),
      (prepared) => this.#perform(prepared)
    )
  }

  #perform(prepared: Prepared): void {
    const { entry, binding, input } = prepared
    const provider = this.#parts.providers.find(binding.adapter)
    if (provider === null)
      return this.#ended(entry, OutcomeRecord.refused("This server has no provider for the model."))
    const model = Mapping.modelOf(entry)
    if (model.output !== undefined) this.#report.showOutput(this.#claimed.jobId === null)
    const job = { ...jobOf(this.#claimed), model, binding, input }
    this.#options.watch.asked({ requestId: this.#claimed.id, input })
    let endLimit: (() => void) | null = null
    const waiting = this.#settle(
      Settled.of(() => this.#run(provider, job)),
      (exit) => {
        endLimit?.()
        this.#left(prepared, exit)
      }
    )
    if (waiting === null) return
    endLimit = this.#limit(job, waiting)
    this.#report.pending()
    this.#wait(waiting)
  }

  #run(provider: Provider, job: Job): Effect.Effect<ProviderOutcome> {
    const { jobId } = this.#claimed
    return jobId === null ? provider.run(job, this.#report) : provider.reattach(job, jobId, this.#report)
  }

  #limit({ model }: Job, waiting: Later.Waiting): () => void {
    const { jobId, request } = this.#claimed
    return TimeLimit.begin(waiting, this.#parts.deadlines, {
      ms: TimeLimit.msOf(model, request, this.#takenOverAt),
      onExpiry: () => {
        this.#isLate = true
        this.#options.watch.timedOut(jobId !== null || this.#report.isHeardOf)
        this.#report.stop.send()
      },
      graceMs: stoppingMs
    })
  }

  /** An interrupted run, or one past its limit, says nothing about its provider. */
  #left(prepared: Prepared, exit: Exit.Exit<ProviderOutcome>): void {
    if (Exit.isFailure(exit) && this.#isInterrupted) return this.#giveBack()
    const { entry } = prepared
    if (this.#isLate) {
      const seconds = entry.model.timeoutSeconds
      const message = `The run took longer than the model's limit of ${seconds} s.`
      return this.#ended(entry, OutcomeRecord.refused(message))
    }
    const { watch } = this.#options
    if (Exit.isFailure(exit)) {
      // An interruption that is not this node's own comes from the provider.
      if (!Cause.hasInterrupts(exit.cause)) watch.ended(OutcomeRecord.providerFailed)
      return this.#failed(exit.cause)
    }
    watch.ended(exit.value)
    this.#await(
      Settled.of(() => Mapping.outcomeOf(prepared, exit.value, this.#seconds())),
      (outcome) => this.#ended(entry, outcome)
    )
  }

  /** How long the provider was observed at work. */
  #seconds(): number {
    const since = this.#takenOverAt
    const { request } = this.#claimed
    return since !== null && request.phase._tag === "Running"
      ? FollowedTime.seconds(request, { now: this.#parts.now(), since })
      : this.#report.seconds
  }

  #failed(cause: Cause.Cause<unknown>): void {
    this.#parts.fork(this.#options.about, Effect.logError("A provider failed unexpectedly", cause))
    this.#end(null, OutcomeRecord.providerFailed)
  }

  #ended(entry: CatalogEntry, outcome: RunOutcome): void {
    this.#end(entry, Fallback.of(outcome, entry, this.#claimed.request))
  }

  /** From here on only waits for the storage are interrupted, because no other node records the outcome. */
  #end(entry: CatalogEntry | null, outcome: RunOutcome): void {
    this.#finish(this.#report.finish(outcome._tag === "Succeeded"), (startedAt) => {
      const ended = { job: jobOf(this.#claimed), entry, outcome, at: this.#parts.now(), startedAt }
      this.#parts.record(ended, (rest) => this.#finish(rest, () => this.#over()))
    })
  }

  /** A job with an id at its provider stays claimed, and the next node re-attaches to it. */
  #giveBack(): void {
    this.#finish(this.#report.leave(), () =>
      this.#parts.giveBack(this.#claimed.id, this.attempt, (rest) => this.#finish(rest, () => this.#over()))
    )
  }

  #over(): void {
    this.#memory?.release()
    this.#options.onOver()
  }

  #settle<A, E>(effect: Effect.Effect<A, E>, onExit: (exit: Exit.Exit<A, E>) => void): Later.Waiting | null {
    return Later.settle(
      effect,
      (waiting) => this.#fork(waiting),
      (exit) => {
        this.#waiting = null
        try {
          onExit(exit)
        } catch (defect) {
          this.#leaveOver(Cause.die(defect))
        }
      }
    )
  }

  #fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    const owner = this.#claimed.request.submitted.accountId
    const evaluating = Effect.provideService(effect, EvaluationFor, { purpose: "run", owner })
    return this.#parts.fork(this.#options.about, evaluating)
  }

  #wait(waiting: Later.Waiting | null): void {
    if (waiting === null) return
    this.#waiting = waiting
    if (this.#isInterrupted) waiting.interrupt()
  }

  /** Waits for what may be interrupted, and goes on with its value, or with the outcome in which it fails. */
  #await<A>(effect: Effect.Effect<A, RunOutcome>, onValue: (value: A) => void): void {
    const waiting = this.#settle(effect, (exit) => {
      if (Exit.isSuccess(exit)) return onValue(exit.value)
      if (this.#isInterrupted) return this.#giveBack()
      const refused = Cause.findError(exit.cause)
      if (Result.isSuccess(refused)) this.#end(null, refused.success)
      else this.#failed(exit.cause)
    })
    this.#wait(waiting)
  }

  /** Waits for what must not be interrupted, apart from its waits for the storage. */
  #finish<A>(effect: Effect.Effect<A>, onValue: (value: A) => void): void {
    const waiting = this.#settle(Exit.isExit(effect) ? effect : Effect.uninterruptible(effect), (exit) => {
      if (Exit.isSuccess(exit)) onValue(exit.value)
      else this.#leaveOver(exit.cause)
    })
    this.#wait(waiting)
  }

  #leaveOver(cause: Cause.Cause<unknown>): void {
    if (Cause.hasDies(cause))
      this.#parts.fork(this.#options.about, Effect.logError("A run has no recorded outcome", cause))
    this.#parts.fork(this.#options.about, this.#report.leave())
    this.#over()
  }
}
