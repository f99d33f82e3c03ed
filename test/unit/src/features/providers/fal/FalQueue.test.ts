import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FalProvider from "#src/features/providers/fal/FalProvider.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as AdapterRuns from "#test/support/src/features/providers/contract/AdapterRuns.ts"
import * as Fal from "#test/support/upstreams/Fal.ts"

const adapter = { provider: FalProvider.make }

const minute = 60_000

/** An accepted run that does not end by itself. */
const holdOne = Effect.fnUntraced(function* (options: AdapterRuns.RunOptions = {}) {
  const upstream = yield* Fal.make
  yield* upstream.plan({ _tag: "Succeeds", held: true })
  const run = yield* AdapterRuns.begin(adapter, upstream, options)
  const id = yield* run.accepted
  return { ...run, upstream, id }
})

/** The end of a run whose request failed in this way. */
const endOf = Effect.fnUntraced(function* (failure: Fal.Failure) {
  const { id, outcome, upstream } = yield* holdOne()
  yield* upstream.end(id, failure)
  return yield* outcome
})

const errorOf = (status: number, type: string): Fal.Failure => ({
  status,
  body: { detail: "something happened", error_type: type },
  headers: { "x-fal-error-type": type }
})

describe("A request to fal", () => {
  it.live("is sent to the app's full path, with a deadline for its start and a callback address", () =>
    Effect.gen(function* () {
      const upstream = yield* Fal.make
      const run = yield* AdapterRuns.begin(adapter, upstream, { timeoutSeconds: 90 })
      yield* run.outcome
      const [submitted] = yield* upstream.submitted
      assert.strictEqual(submitted?.path, "/fal-ai/flux/dev")
      assert.strictEqual(submitted?.headers["x-fal-request-timeout"], "90")
      assert.match(submitted?.webhook ?? "", /^http:\/\/127\.0\.0\.1:\d+\/callbacks\/rq0{18}1\/1\/[\w-]{43}$/)
    })
  )

  it.live("reports only the messages of the runner's log", () =>
    Effect.gen(function* () {
      const { outcome, reports } = yield* AdapterRuns.begin(adapter, yield* Fal.make)
      yield* outcome
      const lines = reports.flatMap((report) => (report === "started" ? [] : report.logs))
      assert.deepStrictEqual(lines, ["Loading the model", "Step 1 of 2"])
    })
  )

  it.live("is polled as soon as fal calls back", () =>
    Effect.gen(function* () {
      const { outcome, upstream } = yield* holdOne({ pace: { firstMs: minute, longestMs: minute } })
      yield* upstream.release
      assert.strictEqual((yield* outcome)._tag, "Succeeded")
    })
  )

  it.live("is polled only at the binding's address", () =>
    Effect.gen(function* () {
      const elsewhere = yield* Receiver.http((_request, response) => void response.end("{}"))
      const upstream = yield* Fal.make
      yield* upstream.answerWith(`http://127.0.0.1:${elsewhere.port}`)
      const run = yield* AdapterRuns.begin(adapter, upstream)
      assert.strictEqual((yield* run.outcome)._tag, "Succeeded")
      assert.strictEqual(elsewhere.connections(), 0)
    })
  )

  it.live("that was cancelled in fal's console is rejected for good, also when looked up", () =>
    Effect.gen(function* () {
      const { id, job, outcome, provider, upstream } = yield* holdOne()
      yield* upstream.end(id, Fal.cancelled)
      const refused = {
        _tag: "ProviderError",
        message: "The job was cancelled at the provider.",
        retryable: false
      }
      assert.deepStrictEqual<unknown>(yield* outcome, refused)
      assert.deepStrictEqual<unknown>(yield* provider.look(job, id), { _tag: "Finished", outcome: refused })
    })
  )
})

describe("A failure at fal", () => {
  it.live("is the model's when it lists the faults of the input", () =>
    Effect.gen(function* () {
      const detail = [
        {
          loc: ["body", "image_url"],
          msg: "Image too large",
          type: "image_too_large",
          ctx: { max_height: 1024 }
        },
        { loc: ["body", "prompt"], msg: "Field required", type: "missing" }
      ]
      assert.deepStrictEqual(yield* endOf({ status: 422, body: { detail } }), {
        _tag: "ModelFailed",
        message: "Image too large; Field required",
        upstream: { status: 422 }
      })
      assert.strictEqual((yield* endOf({ status: 500, body: { detail } }))._tag, "ModelFailed")
    })
  )

  it.live("is the model's when the run was rejected with a text, with any status", () =>
    Effect.gen(function* () {
      for (const status of [400, 403, 404, 413])
        assert.deepStrictEqual(yield* endOf({ status, body: { detail: "no such voice" } }), {
          _tag: "ModelFailed",
          message: "no such voice",
          upstream: { status }
        })
    })
  )

  it.live("is retryable when the platform or the runner failed, or when it is marked so", () =>
    Effect.gen(function* () {
      const types = [
        [504, "request_timeout"],
        [504, "startup_timeout"],
        [503, "runner_scheduling_failure"],
        [503, "runner_disconnected"],
        [500, "runner_server_error"],
        [500, "internal_error"]
      ] as const
      for (const [status, type] of types)
        assert.deepStrictEqual(yield* endOf(errorOf(status, type)), {
          _tag: "ProviderError",
          message: `fal could not run the request (${type}).`,
          retryable: true,
          upstream: { status, type }
        })
      const retryable = { "x-fal-retryable": "true" }
      const untyped = [
        yield* endOf({ status: 500, body: { detail: "Internal Server Error" } }),
        yield* endOf({ status: 422, body: { detail: [{ msg: "busy" }] }, headers: retryable })
      ]
      assert.deepStrictEqual<unknown>(untyped, [
        {
          _tag: "ProviderError",
          message: "The model failed with status 500.",
          retryable: true,
          upstream: { status: 500 }
        },
        {
          _tag: "ProviderError",
          message: "The model failed for now (status 422).",
          retryable: true,
          upstream: { status: 422 }
        }
      ])
    })
  )

  it.live("is final when fal reports a malformed request", () =>
    Effect.gen(function* () {
      const outcome = yield* endOf(errorOf(400, "bad_request"))
      assert.isTrue(outcome._tag === "ProviderError" && !outcome.retryable)
    })
  )
})
