import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { RequestId } from "#domain/Ids.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as ChunkReport from "#src/features/providers/pull/ChunkReport.ts"
import * as Lease from "#src/features/providers/pull/Lease.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"
import { jobOf } from "#test/support/src/features/providers/workers/LeaseNode.ts"

const begin = Effect.gen(function* () {
  const recorded = yield* RecordedControl.make
  const job = jobOf(RequestId.make("r".repeat(21)))
  const streaming = { ...job, model: { ...job.model, output: { stream: "text" as const } } }
  const lease = yield* Lease.make("lease", streaming, recorded.control)
  const fiber = yield* Effect.forkChild(Lease.follow(lease, Effect.never), { startImmediately: true })
  const take = (from: number, ...chunks: ReadonlyArray<string>) =>
    ChunkReport.take(lease, {
      from,
      chunks: chunks.map((value) => ({ value, scalar: null })),
      restart: false
    })
  const end = (outcome: ProviderOutcome) =>
    Effect.andThen(Deferred.succeed(lease.ended, outcome), Fiber.join(fiber))
  return { ...recorded, take, end }
})

const succeeded = (output: string): ProviderOutcome => ({ _tag: "Succeeded", output, delivered: null })

describe("A lease with chunks", () => {
  it.effect("takes each chunk once, and none after a gap", () =>
    Effect.gen(function* () {
      const { chunks, take } = yield* begin
      take(0, "a", "b")
      assert.deepStrictEqual(take(1, "b", "c"), { _tag: "Taken", next: 3 })
      assert.deepStrictEqual(take(4, "e"), { _tag: "Taken", next: 3 })
      assert.deepStrictEqual(take(0, "a"), { _tag: "Taken", next: 3 })
      assert.deepStrictEqual(chunks, ["a", "b", "c"])
    })
  )

  it.effect("ends with the worker's output", () =>
    Effect.gen(function* () {
      const { chunks, end, restarts, take } = yield* begin
      take(0, "a")
      assert.deepStrictEqual(yield* end(succeeded("ab")), succeeded("ab"))
      assert.deepStrictEqual([chunks, restarts()], [["a", "b"], 0])
    })
  )

  it.effect("ends with what the worker had made when it stopped", () =>
    Effect.gen(function* () {
      const { end, stop, take } = yield* begin
      take(0, "a", "b")
      yield* stop
      assert.deepStrictEqual(yield* end({ _tag: "Stopped" }), { _tag: "CutShort", output: "ab" })
    })
  )

  it.effect("takes none after its end", () =>
    Effect.gen(function* () {
      const { chunks, end, take } = yield* begin
      take(0, "a")
      yield* end(succeeded("a"))
      assert.deepStrictEqual(take(1, "b"), { _tag: "Taken", next: null })
      assert.deepStrictEqual(chunks, ["a"])
    })
  )

  it.effect("fails with an output that is too large", () =>
    Effect.gen(function* () {
      const { take } = yield* begin
      const half = "x".repeat(16 * 1024 * 1024)
      assert.strictEqual(take(0, half, half)._tag, "Taken")
      const failed = take(2, "x")
      assert.isTrue(failed._tag === "Failed" && failed.outcome._tag === "ProviderError")
    })
  )
})
