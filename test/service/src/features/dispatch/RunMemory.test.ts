import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as InputMemory from "#src/kernel/memory/InputMemory.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const mega = 1024 * 1024
const wide = testModel("test/wide", { concurrency: 100 })

/** 20 MiB for the inputs of runs; one account gets half. */
const layer = Layer.unwrap(
  Effect.sync(() =>
    TestNode.layer({ models: [wide] }).pipe(
      Layer.provideMerge(Layer.succeed(InputMemory.InputMemory, InputMemory.make(30 * mega)))
    )
  )
)

const submit = (account: string, megabytes = 4) =>
  Facts.submit({ model: wide, account, inputMemory: megabytes * mega })

describe("Runs whose inputs fill the memory", () => {
  it.effect("wait in the queue, while those of other accounts run", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const { runs } = yield* InputMemory.InputMemory
      const [first, second, third] = yield* Effect.replicateEffect(submit("a"), 3)
      const begun = [yield* provider.next, yield* provider.next]
      assert.sameMembers(
        begun.map(({ job }) => job.requestId),
        [first, second]
      )
      const other = yield* submit("b")
      const run = yield* provider.next
      assert.strictEqual(run.job.requestId, other)
      yield* run.ends(succeeded())
      yield* Facts.untilEnd(other)
      assert.deepStrictEqual(provider.begun().length, 3)
      yield* Effect.forEach(begun, ({ ends }) => ends(succeeded()))
      const last = yield* provider.next
      assert.strictEqual(last.job.requestId, third)
      yield* last.ends(succeeded())
      // The run releases it after its end is on the log.
      const turn = Effect.promise(() => new Promise(setImmediate))
      yield* Effect.repeat(Effect.map(turn, runs.used), { until: (used) => used === 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("run one at a time when each exceeds the memory", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const ids = [yield* submit("a", 40), yield* submit("b", 40)]
      for (const _ of ids) {
        const run = yield* provider.next
        assert.strictEqual(provider.running("test/wide").now, 1)
        yield* run.ends(succeeded())
      }
      yield* Effect.forEach(ids, (id) => Facts.untilEnd(id))
    }).pipe(Effect.provide(layer))
  )
})
