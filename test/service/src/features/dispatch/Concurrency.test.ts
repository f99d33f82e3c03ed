import { assert, describe, it } from "@effect/vitest"
import { Array, Deferred, Effect } from "effect"
import * as fc from "fast-check"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import { Runs } from "#src/features/dispatch/Runs.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single, succeeded, testModel, triple } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider, type TestRun } from "#test/support/TestProvider.ts"

/** Requests that wait for one model. */
const waiting = Number(process.env["WAITING_REQUESTS"] ?? 2_000)

const wide = testModel("test/wide", { concurrency: 100 })
const layer = TestNode.layer({ models: [single, triple, wide] })

/** A step: a request arrives for a model, or a run ends, successfully or not. */
type Step =
  | { readonly _tag: "Submit"; readonly model: typeof single }
  | { readonly _tag: "End"; readonly run: number; readonly isRetried: boolean }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ _tag: fc.constant("Submit"), model: fc.constantFrom(single, triple) }),
  fc.record({ _tag: fc.constant("End"), run: fc.nat({ max: 9 }), isRetried: fc.boolean() })
)

const end = (run: TestRun, isRetried: boolean) =>
  run.ends(isRetried ? { _tag: "ProviderError", message: "again", retryable: true } : succeeded())

/** Plays the steps and then ends every run until no request waits. */
const play = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const provider = yield* TestProvider
  const runs = yield* Runs
  const open: Array<TestRun> = []
  const ids: Array<RequestId> = []
  const limits = [single, triple].map(({ model }) => model)
  const check = () => {
    for (const { endpoint, concurrency } of limits) {
      assert.isAtMost(provider.running(endpoint).most, concurrency)
      assert.isAtMost(runs.count(endpoint), concurrency)
    }
  }
  yield* Effect.forkScoped(Effect.forever(Effect.map(provider.next, (run) => open.push(run))))
  for (const next of steps) {
    if (next._tag === "Submit") ids.push(yield* Facts.submit({ model: next.model }))
    else {
      const [run] = open.splice(next.run, 1)
      if (run !== undefined) yield* end(run, next.isRetried)
    }
    yield* TestClock.adjust("100 millis")
    check()
  }
  provider.answerWith(() => Effect.succeed(succeeded()))
  for (const run of open.splice(0)) yield* end(run, false)
  yield* TestClock.adjust("10 seconds")
  for (const run of open.splice(0)) yield* end(run, false)
  yield* Effect.forEach(ids, Facts.untilEnd)
  check()
})

describe("The runs of a model", () => {
  it.live("never exceed its concurrency", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), (steps) =>
          Effect.runPromise(
            play(steps).pipe(Effect.provide(layer), Effect.provide(TestClock.layer()), Effect.scoped)
          )
        ),
        { numRuns: 25 }
      )
    )
  )

  it.effect("use its free slots, and other models continue beside a full one", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const runs = yield* Runs
      yield* Effect.replicateEffect(Facts.submit(), 20)
      const full = yield* provider.next
      for (let round = 0; round < 5; round++) {
        const id = yield* Facts.submit({ model: triple })
        const run = yield* provider.next
        assert.strictEqual(run.job.requestId, id)
        yield* run.ends(succeeded())
        yield* Facts.untilEnd(id)
      }
      const four = yield* Effect.replicateEffect(Facts.submit({ model: triple }), 4)
      const three = [yield* provider.next, yield* provider.next, yield* provider.next]
      assert.deepStrictEqual(
        three.map(({ job }) => job.requestId),
        four.slice(0, 3)
      )
      assert.deepStrictEqual([runs.count("test/single"), runs.count("test/triple")], [1, 3])
      assert.deepStrictEqual(yield* Facts.types(full.job.requestId), ["RequestSubmitted", "DispatchStarted"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("alternate between accounts", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      yield* Facts.submit()
      const first = yield* provider.next
      const accounts = ["acc_a", "acc_b", "acc_c"]
      for (const account of accounts) yield* Effect.replicateEffect(Facts.submit({ account }), 3)
      yield* first.ends(succeeded())
      const served: Array<string> = []
      for (let turn = 0; turn < 9; turn++) {
        const run = yield* provider.next
        served.push(run.job.accountId)
        yield* run.ends(succeeded())
      }
      assert.deepStrictEqual(served, [...accounts, ...accounts, ...accounts])
    }).pipe(Effect.provide(layer))
  )

  it.effect("are shared fairly: one request does not wait for another account's thousand", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      yield* Effect.replicateEffect(Facts.submit({ model: triple, account: "acc_busy" }), 1_000)
      const first = [yield* provider.next, yield* provider.next, yield* provider.next]
      const id = yield* Facts.submit({ model: triple, account: "acc_calm" })
      yield* Effect.forEach(first, (run) => run.ends(succeeded()))
      const next = [yield* provider.next, yield* provider.next, yield* provider.next]
      assert.include(
        next.map(({ job }) => job.requestId),
        id
      )
    }).pipe(Effect.provide(layer))
  )
})

describe("Waiting requests", () => {
  it.effect("use no fibers, however many, and run in order once there is room", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const runs = yield* Runs
      const gate = yield* Deferred.make<void>()
      provider.answerWith(() => Effect.as(Deferred.await(gate), succeeded()))
      const ids = yield* Effect.forEach(Array.range(1, waiting), () => Facts.submit({ model: wide }))
      yield* Facts.until(ids[99] ?? fail(), (all) => all.length >= 2)
      assert.strictEqual(runs.count("test/wide"), 100)
      assert.strictEqual(provider.begun().length, 100)
      yield* Deferred.succeed(gate, undefined)
      yield* Facts.untilEnd(ids[waiting - 1] ?? fail())
      assert.deepStrictEqual(provider.begun(), ids)
      assert.strictEqual(provider.running("test/wide").most, 100)
    }).pipe(Effect.provide(layer))
  )
})

const fail = () => assert.fail("there is no such request")
