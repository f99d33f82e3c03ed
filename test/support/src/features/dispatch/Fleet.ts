/**
 * Models that several providers can run, all provided by the test. The binding's name identifies the provider of a
 * run.
 */
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { BuiltinModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import type { Provider } from "#src/features/providers/Provider.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import type { TestProvider } from "#test/support/TestProvider.ts"

export type Binding = Partial<ProviderBinding> & { readonly name: string }

/** A hundred runs at once by default. */
export const modelAt = (
  endpoint: string,
  [first, ...others]: readonly [Binding, ...ReadonlyArray<Binding>],
  changes: Parameters<typeof testModel>[1] = {}
): BuiltinModel => {
  const made = testModel(endpoint, { concurrency: 100, ...changes })
  const of = (binding: Binding): ProviderBinding => ({ adapter: "http", ...binding })
  return { ...made, model: { ...made.model, providers: [of(first), ...others.map(of)] } }
}

/** The test's provider behind the adapter of the models above, and behind the built-in one. */
export const behindHttp = (provider: Provider): ReadonlyArray<Provider> => [
  provider,
  { ...provider, adapter: "http" }
]

export const layer = (
  models: ReadonlyArray<BuiltinModel>,
  options: Omit<TestNode.NodeOptions, "models"> = {}
) => TestNode.layer({ models, providers: behindHttp, ...options })

export const transportError: ProviderOutcome = {
  _tag: "ProviderError",
  message: "connection reset",
  retryable: true
}
export const refused: ProviderOutcome = { _tag: "ProviderError", message: "no such model", retryable: false }
export const rateLimited = (retryAfterMs: number): ProviderOutcome => ({ _tag: "RateLimited", retryAfterMs })

/** Every run ends at once in the outcome of its provider. Returns the names of the called providers, in order. */
export const answering = (
  provider: TestProvider["Service"],
  answers: (name: string) => ProviderOutcome
): ReadonlyArray<string> => {
  const asked: Array<string> = []
  provider.answerWith(({ binding }) =>
    Effect.sync(() => {
      asked.push(binding.name)
      return answers(binding.name)
    })
  )
  return asked
}

/** Waits for this many retries of the request, and until each is due. */
export const passRetries = Effect.fnUntraced(function* (id: RequestId, count: number) {
  for (let retry = 1; retry <= count; retry++) {
    const { dueAt } = yield* Facts.untilType(id, "RequestRequeued", retry)
    yield* TestClock.adjust(dueAt - (yield* Clock.currentTimeMillis))
  }
})
