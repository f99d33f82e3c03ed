/** An adapter at its protocol server, for the contract test and for its own tests. */
import { Effect, Fiber, Layer, type Scope } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import { AccountId, RequestId } from "#domain/Ids.ts"
import type { Callbacks } from "#src/features/providers/Callbacks.ts"
import type { Job, Provider } from "#src/features/providers/Provider.ts"
import type { ProviderFiles } from "#src/features/providers/ProviderFiles.ts"
import type { ProviderHttp } from "#src/features/providers/ProviderHttp.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as RecordedControl from "./RecordedControl.ts"
import * as Surroundings from "./Surroundings.ts"
import type { Upstream } from "./Upstream.ts"

export interface AdapterUnderTest {
  readonly upstream: Effect.Effect<Upstream, never, Scope.Scope>
  /** A new instance each time, as after a restart. */
  readonly provider: Effect.Effect<Provider, never, ProviderHttp | ProviderFiles | Callbacks | Scope.Scope>
}

/** Everything here is fast, so a slow test hangs. */
export const limit = "5 seconds"

export const jobOf = (binding: ProviderBinding, input: Json, attempt = 1): Job => {
  const { model } = testModel("test/contract")
  return {
    requestId: RequestId.make("rq0000000000000000001"),
    accountId: AccountId.make("acc_test"),
    submittedAt: 1_790_000_000_000,
    model: { ...model, providers: [binding] },
    binding,
    input,
    attempt
  }
}

export const setUp = Effect.fnUntraced(function* (
  { provider, upstream: start }: AdapterUnderTest,
  hasSecret = true
) {
  const upstream = yield* start
  const { secretEnv } = upstream.binding
  const environment = hasSecret && secretEnv !== undefined ? { [secretEnv]: upstream.secret } : {}
  const surroundings = yield* Layer.build(Surroundings.layer(environment))
  const job = jobOf({ ...upstream.binding, name: "contract" }, upstream.example.input)
  return { upstream, job, instance: Effect.provide(provider, surroundings) }
})

export type SetUp = Effect.Success<ReturnType<typeof setUp>>

/** A run of a new instance. Interrupted with the scope. */
export const begin = Effect.fnUntraced(function* (
  { instance, job }: Pick<SetUp, "instance" | "job">,
  jobId?: string
) {
  const provider = yield* instance
  const recorded = yield* RecordedControl.make
  const { control } = recorded
  const run = jobId === undefined ? provider.run(job, control) : provider.reattach(job, jobId, control)
  const fiber = yield* Effect.forkScoped(run)
  return { ...recorded, provider, fiber, outcome: Effect.timeout(Fiber.join(fiber), limit) }
})
