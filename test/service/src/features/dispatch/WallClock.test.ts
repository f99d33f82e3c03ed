/** The wall clock is set while the program runs, or between two runs of it. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as WallTime from "#domain/inference-request/WallTime.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as SettableClock from "#test/support/SettableClock.ts"
import { succeeded, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const hours = (count: number) => Duration.toMillis(Duration.hours(count))
const day = hours(24)
const patient = testModel("test/patient", { concurrency: 100, timeoutSeconds: 100_000 })
const start = (name: string) => TestNode.start({ name, models: [patient] })
const request = Facts.submit({ model: patient })
const cancelAfter = (cancelAfterMs: number) =>
  Facts.submit({ model: patient, deadlines: { startTimeoutMs: null, cancelAfterMs } })

const broken = { _tag: "ProviderError", message: "connection reset", retryable: true } as const

const stateOf = Effect.fnUntraced(function* (id: Effect.Success<typeof request>) {
  const { state } = yield* (yield* RequestActors).refresh(id)
  assert.strictEqual(state._tag, "Request")
  return state._tag === "Request" ? state : yield* Effect.die("No request")
})

/** With a settable wall clock. */
const stepped = <A, E, R>(test: (set: (by: number) => void) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(SettableClock.make, ({ clock, set }) =>
    test(set).pipe(Effect.provide(TestNode.storeLayer), Effect.provideService(Clock.Clock, clock))
  )

describe.each([
  ["six hours ahead", hours(6)],
  ["six hours back", -hours(6)]
])("When the wall clock is set %s", (_, step) => {
  it.effect("a retry comes on time, even when the clock was set before the run failed", () =>
    stepped((set) =>
      Effect.gen(function* () {
        const provider = yield* TestProvider
        const node = yield* start("node")
        const id = yield* node.on(request)
        for (const [retry, delay] of [250, 500, 1_000].entries()) {
          const run = yield* provider.next
          if (retry > 0) set(step)
          yield* run.ends(broken)
          yield* node.on(Facts.untilType(id, "RequestRequeued", retry + 1))
          if (retry === 0) set(step)
          yield* TestClock.adjust(delay - 1)
          assert.lengthOf(provider.begun(), retry + 1)
          yield* TestClock.adjust(1)
        }
        assert.strictEqual((yield* provider.next).job.attempt, 4)
      })
    )
  )

  it.effect("a deadline comes on time", () =>
    stepped((set) =>
      Effect.gen(function* () {
        const provider = yield* TestProvider
        const node = yield* start("node")
        const before = yield* node.on(cancelAfter(90_000))
        yield* provider.next
        set(step)
        const after = yield* node.on(cancelAfter(90_000))
        yield* provider.next
        yield* TestClock.adjust(89_999)
        for (const id of [before, after]) assert.notInclude(yield* Facts.types(id), "RequestCancelled")
        yield* TestClock.adjust(5_000)
        for (const id of [before, after]) {
          const { reason } = yield* node.on(Facts.untilType(id, "RequestCancelled"))
          assert.strictEqual(reason, "expired")
        }
      })
    )
  )

  it.effect("a run's duration and wait are real, and its dates are those of the wall clock", () =>
    stepped((set) =>
      Effect.gen(function* () {
        const provider = yield* TestProvider
        const node = yield* start("node")
        const id = yield* node.on(request)
        const run = yield* provider.next
        yield* TestClock.adjust(1_000)
        set(step)
        yield* run.does(({ started }) => started)
        yield* TestClock.adjust(20)
        yield* node.on(Facts.untilType(id, "RequestStarted"))
        set(step)
        yield* TestClock.adjust(1_980)
        yield* run.ends(succeeded())
        yield* node.on(Facts.untilEnd(id))
        const { phase, startedAt, submitted } = yield* node.on(stateOf(id))
        assert.deepInclude(phase, { _tag: "Completed", inferenceMs: 2_000 })
        assert.strictEqual((startedAt ?? NaN) - submitted.at, 1_000)
        const dates = (yield* Facts.events(id)).map((event) => [event._tag, WallTime.dateOf(event)])
        assert.deepStrictEqual(dates, [
          ["RequestSubmitted", day],
          ["DispatchStarted", day],
          ["RequestStarted", day + 1_000 + step],
          ["OutputReceived", day + 3_000 + 2 * step],
          ["RequestCompleted", day + 3_000 + 2 * step]
        ])
      })
    )
  )
})

describe("After a start under a wall clock set back", () => {
  it.effect("waiting requests are retried on time, and new ones run and expire on time", () =>
    stepped((set) =>
      Effect.gen(function* () {
        const provider = yield* TestProvider
        const node = yield* start("node")
        const waiting = yield* node.on(request)
        yield* (yield* provider.next).ends(broken)
        yield* node.on(Facts.untilType(waiting, "RequestRequeued"))
        const expiring = yield* node.on(cancelAfter(60_000))
        yield* provider.next
        set(-hours(6))
        // The log also has events from the clock that was set back.
        yield* node.on(request)
        yield* provider.next
        yield* node.stop

        const next = yield* start("next")
        const fresh = yield* next.on(cancelAfter(90_000))
        yield* TestClock.adjust(250)
        const begun = yield* Effect.replicateEffect(provider.next, 4)
        assert.includeMembers(
          begun.map(({ job }) => job.requestId),
          [waiting, fresh, expiring]
        )
        yield* TestClock.adjust(65_000)
        yield* next.on(Facts.untilType(expiring, "RequestCancelled"))
        assert.notInclude(yield* Facts.types(fresh), "RequestCancelled")
        yield* TestClock.adjust(30_000)
        yield* next.on(Facts.untilType(fresh, "RequestCancelled"))
      })
    )
  )
})
