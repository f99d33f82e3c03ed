import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { Model } from "#domain/catalog/Model.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { Request, State } from "#domain/inference-request/State.ts"
import * as Money from "#domain/Money.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as ManifestEntry from "#src/features/catalog/models/ManifestEntry.ts"
import * as Mapping from "#src/features/dispatch/Mapping.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"
import { single } from "#test/support/TestModels.ts"
import * as MappedRuns from "#test/support/MappedRuns.ts"

const entry = Result.getOrThrow(
  ManifestEntry.make({
    model: {
      ...single.model,
      price: { ...single.model.price, unit: "second" },
      inputSchema: {},
      outputSchema: {}
    }
  })
)

/** The outcome of a run of 2.5 s, and its provider's input. */
const mapped = Effect.fnUntraced(function* (
  changes: Partial<ProviderBinding>,
  submitted: Json,
  reported: ProviderOutcome
) {
  const binding: ProviderBinding = { name: "p", adapter: "http", ...changes }
  const given: Array<Json> = []
  const outcome = yield* MappedRuns.around({ entry, binding, submitted }, 2.5, (input) =>
    Effect.sync(() => {
      given.push(input)
      return reported
    })
  )
  return { given, outcome }
})

const succeeded = (output: Json, delivered: Money.Quantity | null = null): ProviderOutcome => ({
  _tag: "Succeeded",
  output,
  delivered
})

const bound = (providers: Model["providers"]): CatalogEntry => ({
  ...entry,
  model: { ...entry.model, providers }
})

const dispatchedTo = (provider: string): Request => {
  const { decider } = InferenceRequest.aggregate
  const state = [
    { _tag: "RequestSubmitted", ...Story.request } as const,
    { _tag: "DispatchStarted", at: 1, attempt: 1, provider, node: "n" } as const
  ].reduce<State>(decider.evolve, decider.initial)
  if (state._tag === "NotSubmitted") throw new Error("expected a request")
  return state
}

describe("The seconds of a run", () => {
  it.effect.each([
    [1.25, 1.25],
    [undefined, 2.5],
    [Number.NaN, 2.5],
    [-1, 2.5]
  ] as const)("are the provider's own measurement if available: %s", ([seconds, billed]) =>
    Effect.gen(function* () {
      const reported = { ...succeeded("out"), ...(seconds === undefined ? {} : { seconds }) }
      const { outcome } = yield* mapped({}, "in", reported)
      assert.deepStrictEqual(outcome, {
        _tag: "Succeeded",
        output: "out",
        delivered: Money.millionths(billed * 1_000_000)
      })
    })
  )
})

describe("The binding of a run", () => {
  const own = { name: "a", adapter: "http", url: "http://old", secretEnv: "OLD", output: "one" } as const
  const moved = { name: "a", adapter: "http", url: "http://new", output: "two" } as const
  const other = { name: "b", adapter: "cog", url: "http://b" } as const

  it.each([
    ["belongs to the version of the dispatch", [other, own], null, own],
    [
      "has the version's options at the provider's current address",
      [own],
      [moved],
      { name: "a", adapter: "http", url: "http://new", output: "one" }
    ],
    [
      "is the current one when the protocol has changed",
      [own],
      [{ ...own, adapter: "cog" }],
      { ...own, adapter: "cog" }
    ],
    ["is the version's when the model no longer has the provider", [own], [other], own],
    ["is the current one when the version does not have the provider", [other], [moved], moved],
    ["is the version's first one when the provider is unknown", [other], [other], other]
  ] as const)("%s", (_name, version, current, expected) => {
    const now = current === null ? null : bound(current)
    const found = Mapping.bindingOf(bound(version), dispatchedTo("a"), now)
    assert.deepStrictEqual(found, expected)
  })
})

describe("Mapping", () => {
  it.effect("leaves input and output unchanged without expressions, and counts by the manifest", () =>
    Effect.gen(function* () {
      const { given, outcome } = yield* mapped({}, { value: "in" }, succeeded({ value: "out" }))
      assert.deepStrictEqual(given, [{ value: "in" }])
      assert.deepStrictEqual(outcome, {
        _tag: "Succeeded",
        output: { value: "out" },
        delivered: Money.Quantity.make(2_500_000n)
      })
    })
  )

  it.effect(
    "maps the input to the provider's form, and its answer to the model's, with access to the input",
    () =>
      Effect.gen(function* () {
        const { given, outcome } = yield* mapped(
          { input: `{ "prompt": value }`, output: `{ "value": choices[0].text & " for " & $input.value }` },
          { value: "in" },
          succeeded({ choices: [{ text: "out" }] }, Money.units(7))
        )
        assert.deepStrictEqual(given, [{ prompt: "in" }])
        assert.deepStrictEqual(outcome, {
          _tag: "Succeeded",
          output: { value: "out for in" },
          delivered: Money.units(7)
        })
      })
  )

  it.effect("rejects a run whose input cannot be mapped, without calling the provider", () =>
    Effect.gen(function* () {
      const { given, outcome } = yield* mapped({ input: "nothing" }, { value: "in" }, succeeded({}))
      assert.deepStrictEqual(given, [])
      assert.deepStrictEqual(outcome, {
        _tag: "ProviderError",
        message: "The input cannot be converted for the provider.",
        retryable: false
      })
    })
  )

  it.effect("treats an answer that cannot be mapped as a failed run", () =>
    Effect.gen(function* () {
      const { outcome } = yield* mapped({ output: "nothing" }, {}, succeeded({ secret: "hunter2" }))
      assert.deepStrictEqual(outcome, {
        _tag: "ModelFailed",
        message: "The provider's answer cannot be converted to the model's output."
      })
    })
  )

  it.effect("preserves every other outcome", () =>
    Effect.gen(function* () {
      const outcomes: ReadonlyArray<ProviderOutcome> = [
        { _tag: "ModelFailed", message: "no" },
        { _tag: "ProviderError", message: "no", retryable: true },
        { _tag: "RateLimited", retryAfterMs: 5 },
        { _tag: "Lost", message: "gone" },
        { _tag: "Stopped" }
      ]
      for (const outcome of outcomes) {
        assert.strictEqual((yield* mapped({ output: "nothing" }, {}, outcome)).outcome, outcome)
      }
    })
  )
})
