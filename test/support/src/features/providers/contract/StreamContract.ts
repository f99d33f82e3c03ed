/**
 * The contract of adapters whose output arrives as it is made, run against a server with the provider's protocol, for a
 * model with `output.stream: text`. Uses the live clock, like the contract of all adapters.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, type Scope } from "effect"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as PlannedStream from "#test/support/upstreams/streams/PlannedStream.ts"
import { type AdapterUnderTest, jobOf, limit } from "./AdapterUnderTest.ts"
import * as RecordedControl from "./RecordedControl.ts"
import * as Surroundings from "./Surroundings.ts"
import * as Until from "#test/support/Until.ts"

interface StreamingAdapter extends Pick<AdapterUnderTest, "provider"> {
  readonly upstream: Effect.Effect<PlannedStream.StreamingUpstream, never, Scope.Scope>
}

const [first] = PlannedStream.chunks

const assertWhole = (outcome: ProviderOutcome) => {
  assert.strictEqual(outcome._tag, "Succeeded", JSON.stringify(outcome))
  if (outcome._tag === "Succeeded") assert.strictEqual(outcome.output, PlannedStream.output)
}

export const streamContract = (name: string, { provider, upstream: start }: StreamingAdapter): void => {
  const begin = Effect.fnUntraced(function* (course: PlannedStream.Course) {
    const upstream = yield* start
    yield* upstream.plan(course)
    const { binding, input, secret } = upstream
    const environment = binding.secretEnv === undefined ? {} : { [binding.secretEnv]: secret }
    const instance = yield* Effect.provide(provider, yield* Layer.build(Surroundings.layer(environment)))
    const recorded = yield* RecordedControl.make
    const plain = jobOf({ ...binding, name: "streams" }, input)
    const job = { ...plain, model: { ...plain.model, output: { stream: "text" as const } } }
    const fiber = yield* Effect.forkScoped(instance.run(job, recorded.control))
    const some = Until.until(
      "a chunk",
      Effect.sync(() => recorded.chunks.length),
      (count) => count > 0
    )
    return { ...recorded, upstream, fiber, some, outcome: Effect.timeout(Fiber.join(fiber), limit) }
  })

  /** A run whose stream ends in the middle. */
  const assertBroken = Effect.fnUntraced(function* (
    course: PlannedStream.Course,
    expected: "retryable" | "refused" | "failed"
  ) {
    const { chunks, outcome, upstream } = yield* begin(course)
    const ended = yield* outcome
    if (upstream.survivesCut) {
      assertWhole(ended)
      assert.strictEqual(chunks.join(""), PlannedStream.output)
      return
    }
    assert.strictEqual(
      ended._tag,
      expected === "failed" ? "ModelFailed" : "ProviderError",
      JSON.stringify(ended)
    )
    if (ended._tag === "ProviderError")
      assert.strictEqual(ended.retryable, expected === "retryable", ended.message)
    assert.deepStrictEqual(chunks, [first])
  })

  describe(`${name} as a provider that streams`, () => {
    it.live("reports each chunk as it is made, and the output that they add up to", () =>
      Effect.gen(function* () {
        const { chunks, fiber, outcome, reports, restarts, some, upstream } = yield* begin("held")
        yield* some
        assert.deepStrictEqual(chunks, [first])
        assert.isUndefined(fiber.pollUnsafe())
        assert.include(reports, "started")
        yield* upstream.more
        assertWhole(yield* outcome)
        assert.deepStrictEqual(chunks, [...PlannedStream.chunks])
        assert.strictEqual(restarts(), 0)
      })
    )

    it.live("does not wait for a run that is made at once", () =>
      Effect.gen(function* () {
        const { chunks, outcome } = yield* begin("whole")
        assertWhole(yield* outcome)
        assert.strictEqual(chunks.join(""), PlannedStream.output)
      })
    )

    it.live("does not take a stream that is cut in the middle for the whole", () =>
      assertBroken("cut", "retryable")
    )
    it.live("does not take what its protocol does not have", () => assertBroken("babbles", "failed"))
    it.live("limits a chunk", () => assertBroken("huge", "refused"))

    it.live("ends the stream when the client cancels, with what was made", () =>
      Effect.gen(function* () {
        const { outcome, some, stop, upstream } = yield* begin("held")
        yield* some
        yield* stop
        assert.deepStrictEqual(yield* outcome, { _tag: "CutShort", output: first })
        yield* Effect.timeout(Effect.all([upstream.abandoned, upstream.disconnected]), limit)
      })
    )

    it.live("is interrupted at once, without a connection left", () =>
      Effect.gen(function* () {
        const { fiber, some, upstream } = yield* begin("held")
        yield* some
        yield* Effect.timeout(Fiber.interrupt(fiber), "1 second")
        yield* Effect.timeout(upstream.disconnected, limit)
      })
    )
  })
}
