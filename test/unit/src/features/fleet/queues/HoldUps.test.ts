import { assert, describe, it } from "@effect/vitest"
import type { Reason } from "#src/features/fleet/queues/HeldUp.ts"
import * as HoldUps from "#src/features/fleet/queues/HoldUps.ts"
import type { Queue } from "#src/features/fleet/queues/Queues.ts"

const reason = (more: Partial<Reason>): Reason => ({
  cause: "circuit_open",
  provider: "gpu",
  since: null,
  until: null,
  detail: null,
  ...more
})

const queue = (model: string, queued: number, ...reasons: ReadonlyArray<Reason>): Queue => ({
  model,
  isWithdrawn: false,
  queued,
  running: 0,
  concurrency: 1,
  firstDueAt: queued,
  waitSeconds: null,
  runSeconds: null,
  providers: ["gpu"],
  reasons
})

describe("What holds queues up", () => {
  it("is one entry for a provider, with all its models and requests", () => {
    const found = HoldUps.of([
      queue("a/one", 9, reason({ cause: "no_worker", provider: "pool" })),
      queue("a/two", 7, reason({ since: 50, until: 90 }), reason({ cause: "model_limit", provider: null })),
      queue("a/three", 4, reason({ since: 40, until: 95 })),
      queue("a/four", 1)
    ])
    assert.deepStrictEqual(
      found.map(({ cause, models, queued }) => [cause, queued, models]),
      [
        ["circuit_open", 11, ["a/two", "a/three"]],
        ["no_worker", 9, ["a/one"]]
      ]
    )
    assert.deepInclude(found[0], { since: 40, until: 90, firstDueAt: 4, modelCount: 2 })
  })

  it("keeps limits of models apart, and names at most twenty models", () => {
    const limit = reason({ cause: "model_limit", provider: null, detail: "1" })
    const limited = HoldUps.of([queue("a/one", 2, limit), queue("a/two", 1, limit)])
    assert.deepStrictEqual(
      limited.map(({ models }) => models),
      [["a/one"], ["a/two"]]
    )
    const unknown = reason({ cause: "model_unknown", provider: null })
    assert.lengthOf(HoldUps.of([queue("a/one", 2, unknown), queue("a/two", 1, unknown)]), 2)
    const many = Array.from({ length: 25 }, (_, index) => queue(`a/m${index}`, 1, reason({})))
    const [found] = HoldUps.of(many)
    assert.deepStrictEqual([found?.models.length, found?.modelCount], [20, 25])
  })
})
