import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Fiber, Layer } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import { Callbacks } from "#src/features/providers/Callbacks.ts"
import { PollPace } from "#src/features/providers/Polling.ts"
import { ProviderHttp } from "#src/features/providers/ProviderHttp.ts"
import * as ReplicateProvider from "#src/features/providers/replicate/ReplicateProvider.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import { jobOf } from "#test/support/src/features/providers/contract/AdapterUnderTest.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"
import * as Surroundings from "#test/support/src/features/providers/contract/Surroundings.ts"
import * as JsonHttp from "#test/support/upstreams/JsonHttp.ts"
import * as Replicate from "#test/support/upstreams/Replicate.ts"

const callbackHost = "https://inferlog.example.com"

const surroundings = (secret: string, pace: typeof PollPace.Service) =>
  Layer.mergeAll(
    Callbacks.layerOf({ url: callbackHost, isOver: () => Effect.succeed(false) }),
    ProviderHttp.layer
  ).pipe(
    Layer.provideMerge(Layer.succeed(PollPace, pace)),
    Layer.provide(MasterKey.layerOf(Buffer.alloc(32, 7))),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ REPLICATE_API_TOKEN: secret })))
  )

interface Options {
  readonly options?: JsonObject
  readonly pace?: typeof PollPace.Service
}

const start = Effect.fnUntraced(function* ({ options, pace = Surroundings.pace }: Options = {}) {
  const upstream = yield* Replicate.make
  const services = yield* Layer.build(surroundings(upstream.secret, pace))
  const provider = yield* Effect.provide(ReplicateProvider.make, services)
  const binding: ProviderBinding = { ...upstream.binding, name: "replicate", ...(options && { options }) }
  const job = jobOf(binding, upstream.example.input)
  const run = Effect.gen(function* () {
    const recorded = yield* RecordedControl.make
    return { ...recorded, fiber: yield* Effect.forkScoped(provider.run(job, recorded.control)) }
  })
  return { upstream, provider, callbacks: Context.get(services, Callbacks), job, run }
})

describe("ReplicateProvider", () => {
  const ways: ReadonlyArray<readonly [JsonObject, string]> = [
    [{ version: Replicate.version }, "/v1/predictions"],
    [{ version: `stability-ai/sdxl:${Replicate.version}` }, "/v1/predictions"],
    [{ model: "black-forest-labs/flux-schnell" }, "/v1/models/black-forest-labs/flux-schnell/predictions"],
    [{ deployment: "acme/my-app" }, "/v1/deployments/acme/my-app/predictions"]
  ]
  for (const [options, path] of ways) {
    it.live(`creates a prediction of ${Object.values(options)[0]} at ${path}`, () =>
      Effect.gen(function* () {
        const { job, run, upstream } = yield* start({ options })
        const outcome = yield* Fiber.join((yield* run).fiber)
        assert.deepInclude(outcome, {
          _tag: "Succeeded",
          output: upstream.example.output,
          delivered: null
        })
        const [created] = yield* upstream.created
        assert.strictEqual(created?.path, path)
        assert.strictEqual(created?.headers["cancel-after"], `${job.model.timeoutSeconds}s`)
        assert.notProperty(created?.headers ?? {}, "prefer")
        const { webhook, ...body } = JsonHttp.isObject(created?.body) ? created.body : {}
        assert.deepStrictEqual(body, {
          ...("version" in options && options),
          input: job.input,
          webhook_events_filter: ["start", "completed"]
        })
        assert.match(String(webhook), new RegExp(`^${callbackHost}/callbacks/${job.requestId}/1/`))
      })
    )
  }

  it.live("polls at once on a callback, and ignores the callback's content", () =>
    Effect.gen(function* () {
      const pace = { firstMs: 60_000, longestMs: 60_000, patienceMs: 60_000, lateMs: 60_000 }
      const { callbacks, job, run, upstream } = yield* start({ pace })
      yield* upstream.plan({ _tag: "Succeeds", held: true })
      const { accepted, fiber, started } = yield* run
      yield* accepted
      const [created] = yield* upstream.created
      const mac = /[^/]+$/.exec(JsonHttp.isObject(created?.body) ? String(created.body["webhook"]) : "")?.[0]
      const call = callbacks.deliver({
        requestId: job.requestId,
        attempt: job.attempt,
        mac: mac ?? "",
        callback: {
          json: { id: "another", status: "succeeded", output: "forged" },
          headers: {},
          rawBody: new Uint8Array()
        }
      })
      assert.strictEqual(yield* call, "delivered")
      yield* Effect.timeout(started, "5 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* upstream.release
      yield* call
      const outcome = yield* Effect.timeout(Fiber.join(fiber), "5 seconds")
      assert.deepInclude(outcome, {
        _tag: "Succeeded",
        output: upstream.example.output,
        delivered: null
      })
    })
  )

  it.live("reports lines and progress of the log as they arrive", () =>
    Effect.gen(function* () {
      const { run, upstream } = yield* start()
      yield* upstream.plan({ _tag: "Succeeds", held: true })
      const { fiber, reports, started } = yield* run
      yield* started
      yield* upstream.release
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(reports, [
        "started",
        { fraction: 0.25, logs: ["Using seed: 3"] },
        { fraction: null, logs: ["Done"] }
      ])
    })
  )

  for (const status of ["canceled", "aborted"] as const) {
    it.live(`does not repeat a run that is ${status} at Replicate`, () =>
      Effect.gen(function* () {
        const { run, upstream } = yield* start()
        yield* upstream.plan({ _tag: "Succeeds", held: true })
        const { accepted, fiber } = yield* run
        yield* upstream.end(yield* accepted, status)
        const outcome = yield* Fiber.join(fiber)
        assert.isTrue(outcome._tag === "ProviderError" && !outcome.retryable)
      })
    )
  }

  /** The outcome of a run if the server always answers this. */
  const outcomeAt = Effect.fnUntraced(function* (
    status: number,
    body: JsonObject,
    headers: Readonly<Record<string, string>> = {}
  ) {
    const paths: Array<string> = []
    const { port } = yield* Receiver.http((request, response) => {
      paths.push(request.url ?? "")
      JsonHttp.answer(response, status, body, headers)
    })
    const { job, provider } = yield* start()
    const { control, jobIds } = yield* RecordedControl.make
    const binding = { ...job.binding, url: `http://127.0.0.1:${port}/v1/` }
    return { outcome: yield* provider.run({ ...job, binding }, control), jobIds, paths }
  })

  const limits: ReadonlyArray<readonly [number, string, Record<string, string>, number]> = [
    [429, "Request was throttled. Your rate limit resets in ~30s.", {}, 30_000],
    [429, "Request was throttled. Expected available in 1 second.", {}, 1_000],
    [429, "Request was throttled. Your rate limit resets in ~30s.", { "retry-after": "4" }, 4_000],
    [429, "Request was throttled.", {}, 5_000],
    [402, "You have insufficient credit to run this model.", {}, 600_000]
  ]
  for (const [status, detail, headers, retryAfterMs] of limits) {
    it.live(`pauses Replicate for ${retryAfterMs} ms after ${status}, ${detail}`, () =>
      Effect.gen(function* () {
        const { outcome } = yield* outcomeAt(status, { detail, status }, headers)
        assert.deepStrictEqual(outcome, { _tag: "RateLimited", retryAfterMs })
      })
    )
  }

  it.live("reports why Replicate rejected the call", () =>
    Effect.gen(function* () {
      const detail = "- input: prompt is required"
      const { outcome } = yield* outcomeAt(422, { title: "Input validation failed", detail, status: 422 })
      assert.deepStrictEqual(outcome, {
        _tag: "ProviderError",
        message: `The provider refused the run with status 422: ${detail}`,
        retryable: false,
        upstream: { status: 422 }
      })
    })
  )

  it.live("calls no address from an answer", () =>
    Effect.gen(function* () {
      const { jobIds, outcome, paths } = yield* outcomeAt(201, {
        id: "../../account",
        status: "starting",
        urls: { get: "http://169.254.169.254/latest" }
      })
      assert.strictEqual(outcome._tag, "ModelFailed")
      assert.isEmpty(jobIds)
      assert.deepStrictEqual(paths, ["/v1/predictions"])
    })
  )

  it.live("rejects a binding without a target to run, or with two", () =>
    Effect.gen(function* () {
      for (const options of [
        {},
        { model: "acme" },
        { model: "../account" },
        { version: "a/b" },
        { model: "acme/a", deployment: "acme/a" }
      ]) {
        const { run, upstream } = yield* start({ options })
        const outcome = yield* Fiber.join((yield* run).fiber)
        assert.isTrue(outcome._tag === "ProviderError" && !outcome.retryable, JSON.stringify(options))
        assert.isEmpty(yield* upstream.created)
      }
    })
  )
})
