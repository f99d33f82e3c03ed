/** A provider whose runs do what the test tells them. Everything except its models is real. */
import { Context, Deferred, Effect, Layer, Queue } from "effect"
import type { Adapter } from "#domain/catalog/ProviderBinding.ts"
import type { RequestId } from "#domain/Ids.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { Job, JobState, Provider, RunControl } from "#src/features/providers/Provider.ts"

/** A run in progress. It executes its instructions in its own fiber, in order. */
export interface TestRun {
  readonly job: Job
  /** The job to which the run was re-attached. */
  readonly jobId: string | null
  readonly does: <A>(act: (control: RunControl) => Effect.Effect<A>) => Effect.Effect<A>
  /** Ends the run in `outcome`. No effect if it has ended. */
  readonly ends: (outcome: ProviderOutcome | Effect.Effect<ProviderOutcome>) => Effect.Effect<void>
  /** Completes when the client cancels the run. */
  readonly stopRequested: Effect.Effect<void>
  /** Completes when the node has interrupted the run. */
  readonly interrupted: Effect.Effect<void>
}

export class TestProvider extends Context.Service<
  TestProvider,
  {
    readonly provider: Provider
    /** The next run that begins, unless a script handles it. */
    readonly next: Effect.Effect<TestRun>
    /** Handles all runs from now on. */
    readonly answerWith: (script: (job: Job, control: RunControl) => Effect.Effect<ProviderOutcome>) => void
    /** The state of every job from now on; `Unknown` before. */
    readonly lookAs: (look: Provider["look"]) => void
    /** Jobs whose state was requested, in order. */
    readonly looked: () => ReadonlyArray<string>
    /** Requests whose runs have begun, in order. */
    readonly begun: () => ReadonlyArray<RequestId>
    /** The current and the highest number of runs of a model. */
    readonly running: (endpoint: string) => { readonly now: number; readonly most: number }
  }
>()("inferlog/test/TestProvider") {
  /** `adapter`: the adapter in the models' bindings. */
  static readonly layer = (adapter: Adapter) =>
    Layer.effect(
      TestProvider,
      Effect.gen(function* () {
        const runs = yield* Queue.unbounded<TestRun>()
        const begun: Array<RequestId> = []
        const counts = new Map<string, { now: number; most: number }>()
        let script: ((job: Job, control: RunControl) => Effect.Effect<ProviderOutcome>) | undefined

        let looking: Provider["look"] = () => Effect.succeed<JobState>({ _tag: "Unknown" })
        const looked: Array<string> = []

        const running = (endpoint: string) => counts.get(endpoint) ?? { now: 0, most: 0 }
        const count = (endpoint: string, change: 1 | -1) => {
          const { now, most } = running(endpoint)
          counts.set(endpoint, { now: now + change, most: Math.max(most, now + change) })
        }

        const perform = (job: Job, jobId: string | null, control: RunControl) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              begun.push(job.requestId)
              count(job.model.endpoint, 1)
            }),
            () => (script === undefined ? steered(job, jobId, control) : script(job, control)),
            () => Effect.sync(() => count(job.model.endpoint, -1))
          )

        const steered = Effect.fnUntraced(function* (job: Job, jobId: string | null, control: RunControl) {
          const steps = yield* Queue.unbounded<Effect.Effect<ProviderOutcome | null>>()
          const interrupted = yield* Deferred.make<void>()
          yield* Queue.offer(runs, steer(job, jobId, control, steps, Deferred.await(interrupted)))
          let outcome: ProviderOutcome | null = null
          const following = Effect.gen(function* () {
            while (outcome === null) outcome = yield* yield* Queue.take(steps)
            return outcome
          })
          return yield* Effect.onInterrupt(following, () => Deferred.succeed(interrupted, undefined))
        })

        return TestProvider.of({
          next: Queue.take(runs),
          answerWith: (next) => (script = next),
          lookAs: (look) => (looking = look),
          looked: () => looked,
          begun: () => begun,
          running,
          provider: {
            adapter,
            run: (job, control) => perform(job, null, control),
            reattach: (job, jobId, control) => perform(job, jobId, control),
            look: (job, jobId) =>
              Effect.suspend(() => {
                looked.push(jobId)
                return looking(job, jobId)
              })
          }
        })
      })
    )
}

const steer = (
  job: Job,
  jobId: string | null,
  control: RunControl,
  steps: Queue.Queue<Effect.Effect<ProviderOutcome | null>>,
  interrupted: Effect.Effect<void>
): TestRun => ({
  job,
  jobId,
  does: (act) =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<Effect.Success<ReturnType<typeof act>>>()
      yield* Queue.offer(
        steps,
        Effect.as(
          Effect.onExit(act(control), (exit) => Deferred.done(done, exit)),
          null
        )
      )
      return yield* Deferred.await(done)
    }),
  ends: (outcome) => Queue.offer(steps, Effect.isEffect(outcome) ? outcome : Effect.succeed(outcome)),
  stopRequested: control.stopRequested,
  interrupted
})
