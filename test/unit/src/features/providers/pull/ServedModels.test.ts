import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { KeyId } from "#domain/Ids.ts"
import { WorkerPool } from "#src/features/providers/pull/WorkerPool.ts"
import type { JobFilter } from "#src/features/providers/pull/JobFilter.ts"

const wish: JobFilter = {
  worker: { keyId: KeyId.make("worker_1"), allows: () => true, isAdmitted: () => true },
  models: new Set(["acme/gpu"])
}

describe("A model of workers", () => {
  it.effect("is served while a worker waits for its jobs, and for 10 s after that", () =>
    Effect.gen(function* () {
      const { isServed, pollers } = yield* WorkerPool
      const seen = () => ["acme/gpu", "acme/other"].map(isServed)
      assert.deepStrictEqual(seen(), [false, false])
      const { leave } = pollers.join(wish)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(seen(), [true, false])
      leave()
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(seen(), [true, false])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(seen(), [false, false])
    }).pipe(Effect.provide(WorkerPool.layer))
  )
})
