import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import * as RunpodProvider from "#src/features/providers/runpod/RunpodProvider.ts"
import * as RunpodJobs from "#src/features/providers/runpod/RunpodJobs.ts"
import * as AdapterRuns from "#test/support/src/features/providers/contract/AdapterRuns.ts"
import * as Runpod from "#test/support/upstreams/Runpod.ts"

const adapter = { provider: RunpodProvider.make }

const minute = 60_000

const holdOne = Effect.fnUntraced(function* (options: AdapterRuns.RunOptions = {}) {
  const upstream = yield* Runpod.make
  yield* upstream.plan({ _tag: "Succeeds", held: true })
  const run = yield* AdapterRuns.begin(adapter, upstream, options)
  const id = yield* run.accepted
  return { ...run, upstream, id }
})

/** The body of `/run` for a model with this limit. */
const bodyOf = Effect.fnUntraced(function* (options: AdapterRuns.RunOptions) {
  const upstream = yield* Runpod.make
  yield* AdapterRuns.outcomeOf(adapter, upstream, options)
  const [body] = yield* upstream.received
  return isObject(body) ? body : {}
})

const hours = (count: number) => count * 3_600_000

describe("A job at Runpod", () => {
  it.live("has a policy with the model's limit, within Runpod's, and a callback address", () =>
    Effect.gen(function* () {
      const body = yield* bodyOf({ timeoutSeconds: 900 })
      assert.deepStrictEqual(body["policy"], { executionTimeout: 900_000, ttl: 900_000 + hours(1) })
      assert.match(String(body["webhook"]), /^http:\/\/127\.0\.0\.1:\d+\/callbacks\/rq0{18}1\/1\/[\w-]{43}$/)
      const short = yield* bodyOf({ timeoutSeconds: 0.5, options: { lowPriority: true } })
      assert.deepStrictEqual(short["policy"], {
        executionTimeout: 6_000,
        ttl: 500 + hours(1),
        lowPriority: true
      })
      const long = yield* bodyOf({ timeoutSeconds: 30 * 24 * 3_600 })
      assert.deepStrictEqual(long["policy"], { executionTimeout: hours(24 * 7), ttl: hours(24 * 7) })
    })
  )

  it.live("is polled as soon as Runpod calls back", () =>
    Effect.gen(function* () {
      const { outcome, upstream } = yield* holdOne({ pace: { firstMs: minute, longestMs: minute } })
      yield* upstream.release
      assert.strictEqual((yield* outcome)._tag, "Succeeded")
    })
  )

  it.live("that timed out is retried, and one that was cancelled in the console is not", () =>
    Effect.gen(function* () {
      const retryable = yield* Effect.forEach(["TIMED_OUT", "CANCELLED"] as const, (status) =>
        Effect.gen(function* () {
          const { id, outcome, upstream } = yield* holdOne()
          yield* upstream.end(id, status)
          const ended = yield* outcome
          return ended._tag === "ProviderError" ? ended.retryable : ended._tag
        })
      )
      assert.deepStrictEqual(retryable, [true, false])
    })
  )
})

describe("Runpod's report of a job", () => {
  const outcomeOf = (status: Json) => {
    const report = RunpodJobs.reportOf(status, [])
    return report?._tag === "Ended" ? report.outcome : report
  }

  it("contains each update once, with its fraction", () => {
    const lines: Array<string> = []
    const of = (output?: Json) =>
      RunpodJobs.reportOf({ status: "IN_PROGRESS", ...(output !== undefined && { output }) }, lines)
    assert.deepStrictEqual(of(), { _tag: "Running", fraction: null, logs: [] })
    assert.deepStrictEqual(of("Update 1/3"), { _tag: "Running", fraction: null, logs: ["Update 1/3"] })
    assert.deepStrictEqual(of("Update 1/3"), { _tag: "Running", fraction: null, logs: ["Update 1/3"] })
    assert.deepStrictEqual(of({ progress: 0.5 }), {
      _tag: "Running",
      fraction: 0.5,
      logs: ["Update 1/3", '{"progress":0.5}']
    })
    assert.deepStrictEqual(of({ progress: 50 })?._tag === "Running" && of({ progress: 50 }), {
      _tag: "Running",
      fraction: null,
      logs: ["Update 1/3", '{"progress":0.5}', '{"progress":50}']
    })
  })

  it("contains the error's message, without the traceback of Python workers", () => {
    const thrown = {
      error_type: "<class 'ValueError'>",
      error_message: "seed is missing",
      error_traceback: 'Traceback (most recent call last):\n  File "/src/handler.py", line 7'
    }
    for (const error of [JSON.stringify(thrown), "seed is missing"])
      assert.deepStrictEqual(outcomeOf({ status: "FAILED", error }), {
        _tag: "ModelFailed",
        message: "seed is missing"
      })
    assert.strictEqual(outcomeOf({ status: "FAILED" })?._tag, "ModelFailed")
    assert.strictEqual(outcomeOf({ status: "FAILED", error: "{broken" })?._tag, "ModelFailed")
  })

  it("has an output of null when a handler returns nothing", () => {
    assert.deepStrictEqual(outcomeOf({ status: "COMPLETED" }), {
      _tag: "Succeeded",
      output: null,
      delivered: null
    })
  })

  it("is rejected in any other form", () => {
    for (const status of [null, [], "COMPLETED", {}, { status: "DONE" }, { status: 1 }])
      assert.isNull(RunpodJobs.reportOf(status, []))
    assert.strictEqual(RunpodJobs.reportOf({ status: "RUNNING" }, [])?._tag, "Running")
  })
})
