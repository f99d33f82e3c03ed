/** How Replicate's API takes predictions and shows them in each state, as the package's client gets it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Prediction } from "replicate"
import { RequestId } from "#domain/Ids.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { type Scenario, names, scenarios } from "#test/support/src/edges/http/Scenarios.ts"
import { client, create, echo, fieldsOf, refusal } from "#test/support/src/edges/replicate/Clients.ts"

const shown: Readonly<Record<Scenario, Partial<Prediction>>> = {
  queued: { status: "starting", output: null, error: null },
  running: { status: "processing", output: null, error: null },
  succeeded: { status: "succeeded", output: { value: 1 }, error: null, data_removed: false },
  erased: { status: "succeeded", output: null, data_removed: true },
  partial: { status: "succeeded" },
  invalidOutput: {
    status: "failed",
    output: null,
    error: "The model's output does not match its declared schema."
  },
  providerFailed: { status: "failed", output: null, error: "The picture is empty." },
  failed: { status: "failed", output: null, error: "The provider refused the run." },
  cancelled: { status: "canceled", output: null, error: null }
}

const serving = TestServer.layer().pipe(Layer.provideMerge(SkippedTime.layer))

layer(serving, { excludeTestServices: true })("Replicate's API", (it) => {
  it.effect.each(names)("shows a request that is %s", (scenario) =>
    Effect.gen(function* () {
      const replicate = yield* client()
      const id = yield* scenarios[scenario]
      const prediction = yield* Effect.promise(() => replicate.predictions.get(id))
      assert.deepInclude(prediction, { ...shown[scenario], id, source: "api", logs: "" })
      const { baseUrl } = (yield* TestServer.TestServer).urls
      assert.strictEqual(prediction.urls.get, `${baseUrl}/compat/replicate/v1/predictions/${id}`)
    })
  )

  it.effect("measures a run as it was", () =>
    Effect.gen(function* () {
      const replicate = yield* client()
      const id = yield* scenarios.succeeded
      const { completed_at, created_at, metrics, started_at } = yield* Effect.promise(() =>
        replicate.predictions.get(id)
      )
      assert.deepStrictEqual(metrics, { predict_time: 1.5, total_time: 1.54 })
      assert.strictEqual(Date.parse(started_at ?? "") - Date.parse(created_at), 40)
      assert.strictEqual(Date.parse(completed_at ?? "") - Date.parse(created_at), 1_540)
    })
  )

  it.effect("accepts a large input as it is, and shows it again", () =>
    Effect.gen(function* () {
      const replicate = yield* client()
      const value = 'a"\\é'.repeat(100_000)
      const { id } = yield* create(replicate, { model: "sandbox/echo", input: { value } })
      const { input } = yield* Effect.promise(() => replicate.predictions.get(id))
      assert.deepStrictEqual(input, { value })
    })
  )

  it.effect("sends the start and the end of a prediction whose webhook names no events", () =>
    Effect.gen(function* () {
      const replicate = yield* client()
      const webhook = "https://hooks.acme.dev/x"
      const { webhook_events_filter } = yield* create(replicate, { ...echo, webhook })
      assert.deepStrictEqual(webhook_events_filter, ["start", "completed"])
    })
  )

  it.effect("repeats its answer under an idempotency key, and expires predictions as told", () =>
    Effect.gen(function* () {
      const replicate = yield* client("key", { "idempotency-key": "once", "cancel-after": "90s" })
      const first = yield* create(replicate)
      assert.strictEqual((yield* create(replicate)).id, first.id)
      const other = yield* refusal(() => replicate.predictions.create({ ...echo, input: { value: 2 } }))
      assert.deepInclude(other, { status: 409, code: "IDEMPOTENCY_KEY_REUSED" })
      const late = yield* client("key", { "cancel-after": "soon" })
      assert.deepStrictEqual(fieldsOf(yield* refusal(() => late.predictions.create(echo))), [
        "Cancel-After duration"
      ])
    })
  )

  it.effect(
    "says starting of a prediction that runs when the wait is over, so that the client polls it",
    () =>
      Effect.gen(function* () {
        const replicate = yield* client()
        const creating = create(replicate, { ...echo, wait: 1 })
        const listed = Effect.promise(() => replicate.predictions.list()).pipe(
          Effect.repeat({ until: ({ results }) => results.length > 0 })
        )
        const starting = Effect.flatMap(listed, ({ results }) =>
          Lifecycle.start(RequestId.make(results[0]?.id ?? ""))
        )
        // The newest one may be of another test, then this one waits in the queue.
        const { until } = yield* SkippedTime
        const [{ id, status }] = yield* until("20 millis")(
          Effect.all([creating, Effect.ignore(starting)], { concurrency: 2 })
        )
        assert.strictEqual(status, "starting")
        yield* Effect.ignore(Lifecycle.start(RequestId.make(id)))
        assert.strictEqual((yield* Effect.promise(() => replicate.predictions.get(id))).status, "processing")
      })
  )

  it.effect("lists all predictions once, on pages", () =>
    Effect.gen(function* () {
      const replicate = yield* client("otherKey")
      const created = yield* Effect.forEach(
        Array.from({ length: 103 }, (_, value) => value),
        (value) => create(replicate, { model: "sandbox/echo", input: { value } }),
        { concurrency: 8 }
      )
      const pages = yield* Effect.promise(async () => {
        const pages: Array<ReadonlyArray<Prediction>> = []
        for await (const page of replicate.paginate(replicate.predictions.list)) pages.push(page)
        return pages
      })
      assert.deepStrictEqual(
        pages.map(({ length }) => length),
        [100, 3]
      )
      assert.sameMembers(
        pages.flat().map(({ id }) => id),
        created.map(({ id }) => id)
      )
      const found = pages.flat().find(({ id }) => id === created[0]?.id)
      assert.deepStrictEqual(found?.input, { value: 0 })
    })
  )
})
