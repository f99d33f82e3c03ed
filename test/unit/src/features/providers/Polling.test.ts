import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { Callback } from "#src/features/providers/Callbacks.ts"
import * as JobReport from "#src/features/providers/JobReport.ts"
import * as Polling from "#src/features/providers/Polling.ts"
import * as ErrorOutcomes from "#src/features/providers/ErrorOutcomes.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"

const output = { _tag: "Succeeded", output: 1, delivered: null } as const
const pace = { firstMs: 100, longestMs: 400, patienceMs: 1_000, lateMs: 400 }

const heard = Effect.succeed("heard" as const)

const follow = Effect.fnUntraced(function* ({
  cancel = heard,
  ...options
}: Omit<Polling.FollowOptions, "control" | "cancel"> & Partial<Polling.FollowOptions>) {
  const recorded = yield* RecordedControl.make
  const started = yield* Polling.make.pipe(Effect.provideService(Polling.PollPace, pace))
  const fiber = yield* Effect.forkChild(started({ ...options, cancel, control: recorded.control }), {
    startImmediately: true
  })
  return { ...recorded, fiber }
})

/** Returns the reports in order, the last one repeatedly, and records the times of the calls. */
const asked = (...reports: ReadonlyArray<JobReport.JobReport | JobReport.Unclear["outcome"]>) => {
  const times: Array<number> = []
  const poll = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const report = reports[Math.min(times.push(now), reports.length) - 1] ?? JobReport.waiting
    switch (report._tag) {
      case "Waiting":
      case "Taken":
      case "Running":
      case "Ended":
      case "Unreadable":
        return Effect.succeed(report)
      default:
        return JobReport.unclear(report)
    }
  })
  return { times, poll }
}

const unavailable = ErrorOutcomes.failed("The provider failed with status 503.", true)

describe("Polling", () => {
  it.effect("polls often at first, and less often later", () =>
    Effect.gen(function* () {
      const { poll, times } = asked(JobReport.waiting)
      yield* follow({ poll })
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(times, [100, 250, 475, 812.5, 1_212.5, 1_612.5])
    })
  )

  it.effect("reports each start, line and progress once", () =>
    Effect.gen(function* () {
      const doing = (fraction: number | null, ...logs: ReadonlyArray<string>) =>
        ({ _tag: "Running", fraction, logs }) as const
      const { poll } = asked(
        JobReport.waiting,
        doing(null),
        doing(0.5, "a"),
        doing(0.5, "a"),
        doing(0.5, "a", "b"),
        JobReport.ended(output, ["a", "b", "c"])
      )
      const { fiber, reports } = yield* follow({ poll })
      yield* TestClock.adjust("5 seconds")
      assert.deepInclude(yield* Fiber.join(fiber), output)
      assert.deepStrictEqual(reports, [
        "started",
        { fraction: 0.5, logs: ["a"] },
        { fraction: 0.5, logs: ["b"] },
        { fraction: null, logs: ["c"] }
      ])
    })
  )

  it.effect("reports a start for a run that was never seen running", () =>
    Effect.gen(function* () {
      const { fiber, reports } = yield* follow({ poll: asked(JobReport.ended(output)).poll })
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(reports, ["started"])
    })
  )

  it.effect("tolerates unavailable states for a while, and then fails", () =>
    Effect.gen(function* () {
      const short = yield* follow({ poll: asked(unavailable, unavailable, JobReport.ended(output)).poll })
      const long = yield* follow({ poll: asked(unavailable).poll })
      yield* TestClock.adjust("999 millis")
      assert.deepInclude(yield* Fiber.join(short.fiber), output)
      assert.isUndefined(long.fiber.pollUnsafe())
      yield* TestClock.adjust("400 millis")
      assert.deepStrictEqual(yield* Fiber.join(long.fiber), unavailable)
    })
  )

  it.effect("restarts the tolerance after each successful poll", () =>
    Effect.gen(function* () {
      const { poll } = asked(
        unavailable,
        unavailable,
        unavailable,
        JobReport.waiting,
        unavailable,
        JobReport.ended(output)
      )
      const { fiber } = yield* follow({ poll })
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude(yield* Fiber.join(fiber), output)
    })
  )

  it.effect("polls a rate-limiting provider at the requested times, for as long as it limits", () =>
    Effect.gen(function* () {
      const limited: ProviderOutcome = { _tag: "RateLimited", retryAfterMs: 3_000 }
      const { poll, times } = asked(limited, limited, JobReport.ended(output))
      const { fiber } = yield* follow({ poll })
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* Fiber.join(fiber), output)
      assert.deepStrictEqual(times, [100, 3_100, 6_100])
    })
  )

  it.effect("polls at once on a callback, and accepts an end in the callback", () =>
    Effect.gen(function* () {
      const received = yield* Queue.unbounded<Callback>()
      const { poll, times } = asked(JobReport.waiting)
      const read = ({ json }: Callback) => (json === null ? null : JobReport.ended(output))
      const { fiber } = yield* follow({ poll, callbacks: { received, read } })
      const callWith = (json: Callback["json"]) =>
        Effect.andThen(
          Queue.offer(received, { json, headers: {}, rawBody: Buffer.alloc(0) }),
          TestClock.adjust(0)
        )
      yield* TestClock.adjust("10 millis")
      yield* callWith(null)
      assert.deepStrictEqual(times, [10])
      yield* callWith(1)
      assert.deepInclude(yield* Fiber.join(fiber), output)
    })
  )

  it.effect("repeats a stop until it is received, and treats a job that is gone by then as stopped", () =>
    Effect.gen(function* () {
      let cancels = 0
      const cancel = Effect.suspend(() => (++cancels < 3 ? JobReport.unclear(unavailable) : heard))
      let isGone = false
      const poll = Effect.sync(() => (isGone ? JobReport.ended(ErrorOutcomes.lost) : JobReport.running))
      const { fiber, stop } = yield* follow({ poll, cancel })
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(cancels, 0)
      yield* stop
      yield* TestClock.adjust("100 millis")
      assert.isUndefined(fiber.pollUnsafe())
      isGone = true
      yield* TestClock.adjust("400 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Stopped" })
      assert.isAtLeast(cancels, 2)
    })
  )

  it.effect("treats a job as stopped that is gone while no stop is received", () =>
    Effect.gen(function* () {
      const { poll } = asked(ErrorOutcomes.lost)
      const { fiber, stop } = yield* follow({ poll, cancel: JobReport.unclear(unavailable) })
      yield* stop
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Stopped" })
    })
  )

  it.effect("repeats a stop as rarely as a poll, and no less often", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const cancel = Effect.andThen(
        Effect.map(Clock.currentTimeMillis, (now) => times.push(now)),
        JobReport.unclear(unavailable)
      )
      const { stop } = yield* follow({ poll: asked(JobReport.running).poll, cancel })
      yield* stop
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(times, [0, 100, 250, 475, 812.5, 1_212.5, 1_612.5])
    })
  )

  it.effect.each([
    ["that is unknown when it is cancelled", "unknown", JobReport.taken],
    ["that no longer exists", "heard", ErrorOutcomes.lost]
  ] as const)("treats a job %s as stopped, once its end has had time to arrive", ([, told, told2]) =>
    Effect.gen(function* () {
      const { fiber, stop } = yield* follow({ poll: asked(told2).poll, cancel: Effect.succeed(told) })
      yield* TestClock.adjust("300 millis")
      yield* stop
      yield* TestClock.adjust("399 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("400 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Stopped" })
    })
  )

  it.effect("waits for a job that still exists, whatever the answer to its stop", () =>
    Effect.gen(function* () {
      const { poll } = asked(...Array.from({ length: 8 }, () => JobReport.running), JobReport.ended(output))
      const { fiber, stop } = yield* follow({ poll, cancel: Effect.succeed("unknown" as const) })
      yield* stop
      yield* TestClock.adjust("4 seconds")
      assert.deepInclude(yield* Fiber.join(fiber), output)
    })
  )

  it.effect("requests a stop once, briefly, for a job that it gives up", () =>
    Effect.gen(function* () {
      let cancels = 0
      const cancel = Effect.andThen(
        Effect.sync(() => cancels++),
        Effect.delay(heard, "1 hour")
      )
      const { fiber } = yield* follow({ poll: asked(unavailable).poll, cancel })
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(cancels, 1)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), unavailable)
      assert.strictEqual(cancels, 1)
    })
  )

  const endAfter = Effect.fnUntraced(function* (
    submit: Polling.FollowOptions["submit"],
    ...reports: ReadonlyArray<JobReport.JobReport>
  ) {
    const { fiber } = yield* follow({ poll: asked(...reports).poll, ...(submit !== undefined && { submit }) })
    yield* TestClock.adjust("5 seconds")
    const ended = yield* Fiber.join(fiber)
    return ended._tag === "Succeeded" ? ended.seconds : ended
  })

  it.effect("requests a stop for a job whose answer cannot be read, and ends it", () =>
    Effect.gen(function* () {
      let stops = 0
      const cancel = Effect.sync((): "heard" => {
        stops++
        return "heard"
      })
      const { poll } = asked(JobReport.running, { _tag: "Unreadable", outcome: ErrorOutcomes.babble })
      const { fiber } = yield* follow({ poll, cancel })
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ErrorOutcomes.babble)
      assert.strictEqual(stops, 1)
    })
  )

  it.effect("measures a run from its first observed start, or from its last observed wait", () =>
    Effect.gen(function* () {
      const done = JobReport.ended(output)
      const { running, taken, waiting } = JobReport
      const submitted = Effect.delay(Effect.succeed(waiting), 50)
      assert.strictEqual(yield* endAfter(submitted, done), 0.1)
      assert.strictEqual(yield* endAfter(submitted, waiting, done), 0.15)
      assert.strictEqual(yield* endAfter(submitted, waiting, running, running, done), 0.562)
      assert.strictEqual(yield* endAfter(Effect.delay(Effect.succeed(taken), 50), taken, done), 0.3)
      assert.strictEqual(yield* endAfter(Effect.delay(Effect.succeed(done), 50)), 0.05)
    })
  )

  it.effect("leaves the measurement to the provider, or to an earlier follower of the run", () =>
    Effect.gen(function* () {
      const { running, waiting } = JobReport
      const measured = JobReport.ended({ ...output, seconds: 7 })
      assert.strictEqual(yield* endAfter(Effect.succeed(waiting), running, measured), 7)
      assert.isUndefined(yield* endAfter(undefined, running, JobReport.ended(output)))
    })
  )

  it.effect("treats a job that disappears without a stop as lost", () =>
    Effect.gen(function* () {
      const { fiber } = yield* follow({ poll: asked(JobReport.ended(ErrorOutcomes.lost)).poll })
      yield* TestClock.adjust("100 millis")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Lost")
    })
  )
})
