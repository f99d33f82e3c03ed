/** Cancels, ends and retries in any order: the request ends once, and a client is told what happened. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as fc from "fast-check"
import { TestClock } from "effect/testing"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider, type TestRun } from "#test/support/TestProvider.ts"

const outcomes: ReadonlyArray<ProviderOutcome> = [
  succeeded(),
  { _tag: "Stopped" },
  { _tag: "ModelFailed", message: "no" },
  { _tag: "ProviderError", message: "reset", retryable: true },
  { _tag: "ProviderError", message: "refused", retryable: false },
  { _tag: "RateLimited", retryAfterMs: 500 }
]

type Step = "cancel" | "start" | "tick" | "yield" | ProviderOutcome
type Cancelled = Effect.Success<ReturnType<typeof Facts.cancel>>

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant("cancel") },
  { weight: 1, arbitrary: fc.constantFrom("start", "yield") },
  { weight: 2, arbitrary: fc.constant("tick") },
  { weight: 3, arbitrary: fc.constantFrom(...outcomes) }
)

/** Runs the steps without waiting for their effects, then brings the request to its end. */
const race = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const provider = yield* TestProvider
  const open: Array<TestRun> = []
  yield* Effect.forkScoped(Effect.forever(Effect.map(provider.next, (run) => open.push(run))))
  const id = yield* Facts.submit()
  const cancelling: Array<Fiber.Fiber<Cancelled, unknown>> = []
  for (const next of steps) {
    const run = open.at(-1)
    if (next === "cancel") cancelling.push(yield* Effect.forkScoped(Facts.cancel(id)))
    else if (next === "tick") yield* TestClock.adjust("300 millis")
    else if (next === "yield") yield* Effect.yieldNow
    else if (run === undefined) continue
    else if (next === "start") yield* Effect.forkScoped(run.does(({ started }) => started))
    else yield* run.ends(next)
  }
  provider.answerWith(() => Effect.succeed(succeeded()))
  yield* Effect.forEach(open, (run) => run.ends(succeeded()))
  yield* TestClock.adjust("1 minute")
  yield* Effect.forEach(open, (run) => run.ends(succeeded()))
  const all = yield* Facts.untilEnd(id)
  return { all, answers: yield* Effect.forEach(cancelling, Fiber.join) }
})

describe("A cancel that races with the run", () => {
  it.live("leaves one end, and consistent answers", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const { all, answers } = await Effect.runPromise(
            race(steps).pipe(
              Effect.provide(TestNode.layer()),
              Effect.provide(TestClock.layer()),
              Effect.scoped
            )
          )
          const [end, ...more] = Facts.terminal(all)
          assert.deepStrictEqual(more, [])
          assert.lengthOf(Facts.ofType(all, "RequestCancelled"), end?._tag === "RequestCancelled" ? 1 : 0)
          const charges = Facts.ofType(all, "RequestCompleted").filter(
            ({ billing }) => billing.status !== "failed"
          )
          assert.lengthOf(charges, Facts.ofType(all, "OutputReceived").length)
          for (const { cancel, request } of answers) {
            if (cancel.accepted) assert.notInclude(["Completed", "Failed"], request.phase._tag)
          }
          if (end?._tag === "RequestCancelled") assert.isNotEmpty(answers)
        }),
        { numRuns: 40 }
      )
    )
  )
})

/** When each of the two sides acts, in yields, and the provider's reaction to a stop. */
interface Interleaving {
  readonly cancelAfter: number
  readonly endAfter: number
  readonly isStarted: boolean
  readonly obeys: boolean
  /** The client cancels twice. */
  readonly isRepeated: boolean
  readonly end: ProviderOutcome
}

const interleaving: fc.Arbitrary<Interleaving> = fc.record({
  cancelAfter: fc.nat({ max: 12 }),
  endAfter: fc.nat({ max: 12 }),
  isStarted: fc.boolean(),
  obeys: fc.boolean(),
  isRepeated: fc.boolean(),
  end: fc.constantFrom<ProviderOutcome>(succeeded(), succeeded(), { _tag: "ModelFailed", message: "no" })
})

const yields = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.yieldNow, { discard: true })

/** A run is cancelled while it ends. */
const meet = Effect.fnUntraced(function* (how: Interleaving) {
  const provider = yield* TestProvider
  const id = yield* Facts.submit()
  const run = yield* provider.next
  if (how.isStarted) yield* run.does(({ started }) => started)
  if (how.obeys) yield* Effect.forkScoped(Effect.andThen(run.stopRequested, run.ends({ _tag: "Stopped" })))
  const cancel = Effect.andThen(yields(how.cancelAfter), Facts.cancel(id))
  const cancelling = yield* Effect.forkScoped(cancel)
  const repeating = how.isRepeated ? yield* Effect.forkScoped(cancel) : null
  yield* yields(how.endAfter)
  yield* run.ends(how.end)
  const all = yield* Facts.untilEnd(id)
  // A cancel in between waits at most this long.
  yield* TestClock.adjust("2 seconds")
  const answers = [
    yield* Fiber.join(cancelling),
    ...(repeating === null ? [] : [yield* Fiber.join(repeating)])
  ]
  return { id, all, answers, request: (yield* Facts.snapshot(id)).request }
})

describe("A cancel that meets the end of the run", () => {
  it.effect("either cancels without a bill or is rejected as too late; what ran is billed once", () =>
    Effect.gen(function* () {
      const context = yield* Effect.context<TestNode.NodeServices | TestProvider>()
      const met = new Set<string>()
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(interleaving, async (how) => {
            const { all, answers, request } = await Effect.runPromiseWith(context)(Effect.scoped(meet(how)))
            const ends = Facts.terminal(all)
            assert.lengthOf(ends, 1)
            const isCancelled = ends[0]?._tag === "RequestCancelled"
            // A finished run has run, even if it was stopped.
            if (!how.obeys) assert.isFalse(isCancelled)
            const billed = Facts.ofType(all, "RequestCompleted").filter(({ billing }) => billing.amount > 0n)
            assert.lengthOf(billed, !isCancelled && how.end._tag === "Succeeded" ? 1 : 0)
            for (const { cancel, request: told } of answers) {
              assert.deepStrictEqual(told.phase, request.phase)
              const wasFirst = cancel.reason === "The request had been cancelled."
              assert.strictEqual(cancel.accepted, isCancelled && !wasFirst)
              met.add(cancel.reason)
            }
          }),
          { numRuns: 300 }
        )
      )
      assert.includeMembers(
        [...met],
        [
          "The request is cancelled and not billed.",
          "The run finished before the provider could stop it.",
          "The request had completed."
        ]
      )
    }).pipe(Effect.provide(TestNode.layer()))
  )
})
