/** Runs of an adapter at its protocol server, for tests beyond the contract test. */
import { Effect, Fiber, Layer } from "effect"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { StreamKind } from "#domain/catalog/Model.ts"
import { PollPace } from "#src/features/providers/Polling.ts"
import type { Job } from "#src/features/providers/Provider.ts"
import { type AdapterUnderTest, jobOf } from "./AdapterUnderTest.ts"
import * as RecordedControl from "./RecordedControl.ts"
import * as Surroundings from "./Surroundings.ts"
import type { Upstream } from "./Upstream.ts"

export interface RunOptions {
  /** Replaces the example's input. */
  readonly input?: Json
  /** Adds to or replaces the binding's options. */
  readonly options?: JsonObject
  /** Replaces the binding's URL; the path is appended to it. */
  readonly url?: string
  readonly pace?: Partial<typeof PollPace.Service>
  readonly timeoutSeconds?: number
  /** Of the model. */
  readonly stream?: StreamKind
}

const limit = "5 seconds"

const changed = (job: Job, { options, stream, timeoutSeconds, url }: RunOptions): Job => ({
  ...job,
  binding: {
    ...job.binding,
    ...(url !== undefined && { url }),
    ...(options !== undefined && { options: { ...job.binding.options, ...options } })
  },
  model: {
    ...job.model,
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(stream !== undefined && { output: { stream } })
  }
})

/** A run in progress of a new instance of the adapter. Interrupted with the scope. */
export const begin = Effect.fnUntraced(function* (
  adapter: Pick<AdapterUnderTest, "provider">,
  upstream: Pick<Upstream, "binding" | "secret"> & { readonly example: Pick<Upstream["example"], "input"> },
  options: RunOptions = {}
) {
  const { binding, example, secret } = upstream
  const environment = binding.secretEnv === undefined ? {} : { [binding.secretEnv]: secret }
  const surroundings = yield* Layer.build(Surroundings.layer(environment))
  const provider = yield* adapter.provider.pipe(
    Effect.provideService(PollPace, { ...Surroundings.pace, ...options.pace }),
    Effect.provide(surroundings)
  )
  const recorded = yield* RecordedControl.make
  const job = changed(jobOf({ ...binding, name: "own" }, options.input ?? example.input), options)
  const fiber = yield* Effect.forkScoped(provider.run(job, recorded.control))
  return { ...recorded, job, provider, fiber, outcome: Effect.timeout(Fiber.join(fiber), limit) }
})

/** Runs to the end. */
export const outcomeOf = Effect.fnUntraced(function* (
  adapter: Pick<AdapterUnderTest, "provider">,
  upstream: Pick<Upstream, "binding" | "secret"> & { readonly example: Pick<Upstream["example"], "input"> },
  options?: RunOptions
) {
  const run = yield* begin(adapter, upstream, options)
  return yield* run.outcome
})
