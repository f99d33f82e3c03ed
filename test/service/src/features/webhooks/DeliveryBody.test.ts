/** The body of `completed` for each end of a request, as its receiver gets it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { RequestId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"
import * as RequestFacts from "#test/support/RequestFacts.ts"
import { succeeded, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

/** 0.001 USD each; one run at a time. */
const pictures = testModel("test/pictures", {
  timeoutSeconds: 100_000,
  quantities: () => ({ quantity: Money.units(4), maxQuantity: Money.units(4) })
})

const layer = TestNode.layer({ models: [pictures], delivers: true })

interface Case {
  readonly how: ProviderOutcome
  readonly told: JsonObject
}

const output: Json = { value: "out" }

/** The differences between the ends; each run begins after 2 s and takes 1.5 s. */
const ran: Readonly<Record<string, Case>> = {
  succeeded: {
    how: { _tag: "Succeeded", output, delivered: Money.units(4) },
    told: { status: "COMPLETED", outcome: "succeeded", output, cost: "0.004", billingStatus: "charged" }
  },
  partial: {
    how: { _tag: "Succeeded", output, delivered: Money.units(3) },
    told: { status: "COMPLETED", outcome: "partial", output, cost: "0.003", billingStatus: "partial" }
  },
  "invalid output": {
    how: { _tag: "Succeeded", output: { value: 1 }, delivered: Money.units(4) },
    told: {
      status: "COMPLETED",
      outcome: "invalid_output",
      error: "The model's output does not match its declared schema.",
      billingStatus: "failed",
      details: {
        code: "INVALID_OUTPUT",
        validationErrors: [{ instancePath: "/value", message: "must be string" }]
      }
    }
  },
  "failed at the provider": {
    how: { _tag: "ModelFailed", message: "out of paint" },
    told: {
      status: "COMPLETED",
      outcome: "provider_failed",
      error: "out of paint",
      billingStatus: "failed",
      details: { code: "UPSTREAM_FAILURE" }
    }
  },
  "failed at the provider, which says more": {
    how: { _tag: "ModelFailed", message: "out of paint", upstream: { code: "no_paint", param: "colour" } },
    told: {
      status: "COMPLETED",
      outcome: "provider_failed",
      error: "out of paint",
      billingStatus: "failed",
      details: { code: "UPSTREAM_FAILURE", upstream: { code: "no_paint", param: "colour" } }
    }
  },
  "not run, of which the provider says more": {
    how: {
      _tag: "ProviderError",
      message: "too long",
      retryable: false,
      upstream: { status: 400, code: "context_length_exceeded", param: "messages" }
    },
    told: {
      status: "FAILED",
      outcome: "failed",
      error: "too long",
      inferenceTime: null,
      billingStatus: "failed",
      details: {
        code: "REQUEST_FAILED",
        upstream: { status: 400, code: "context_length_exceeded", param: "messages" }
      }
    }
  },
  "not run": {
    how: { _tag: "ProviderError", message: "no such model", retryable: false },
    told: {
      status: "FAILED",
      outcome: "failed",
      error: "no such model",
      inferenceTime: null,
      billingStatus: "failed"
    }
  }
}

const metadata = { order: "17" }

const submit = (url: string, cancelAfterMs: number | null = null) =>
  RequestFacts.submit({
    model: pictures,
    input: { value: "a häuschen" },
    metadata,
    deadlines: { startTimeoutMs: null, cancelAfterMs },
    webhook: Facts.webhook(url)
  })

const expected = (id: RequestId, told: JsonObject): JsonObject => ({
  id,
  modelEndpoint: "test/pictures",
  input: { value: "a häuschen" },
  output: null,
  error: null,
  metadata,
  inferenceTime: 1_500,
  delayTime: 2_000,
  createdAt: "1970-01-01T00:00:00.000Z",
  cost: "0",
  media: [],
  event: "completed",
  ...("details" in told && told["status"] === "COMPLETED" && { request_id: id }),
  ...told
})

/** The answer of `response_url`, or its answer if the request had succeeded. */
const result = Effect.fnUntraced(function* (id: RequestId) {
  yield* (yield* RequestActors).refresh(id)
  const requests = yield* Requests
  const snapshot = yield* requests.get({ caller: RequestFacts.caller(), id })
  const payloads = yield* requests.payloads(snapshot)
  const urls = { mediaUrl: "https://media.test" }
  return ResultView.withoutOutput(urls, snapshot, payloads) ?? ResultView.result(urls, snapshot, payloads)
})

const assertTold = Effect.fnUntraced(function* (hook: Hook.Hook, id: RequestId, told: JsonObject) {
  const { text } = yield* hook.until(1)
  const body = JSON.parse(text)
  assert.deepStrictEqual(body, expected(id, told))
  const { billingStatus, event, ...rest } = body
  assert.deepStrictEqual(rest, JSON.parse(JSON.stringify(yield* result(id))))
  assert.deepStrictEqual([event, billingStatus], ["completed", told["billingStatus"]])
})

describe("The webhook of a request that", () => {
  for (const [end, { how, told }] of Object.entries(ran)) {
    it.effect(`ended as ${end} carries its result, and its billing`, () =>
      Effect.gen(function* () {
        const hook = yield* Hook.make()
        const id = yield* submit(hook.url)
        const run = yield* (yield* TestProvider).next
        yield* TestClock.adjust("2 seconds")
        yield* run.does(({ started }) => started)
        yield* TestClock.adjust("1500 millis")
        yield* run.ends(how)
        yield* assertTold(hook, id, told)
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("was cancelled during its run carries no output", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const id = yield* submit(hook.url)
      const run = yield* (yield* TestProvider).next
      yield* TestClock.adjust("2 seconds")
      yield* Facts.begin(run)
      yield* Effect.forkScoped(RequestFacts.cancel(id, pictures))
      yield* run.stopRequested
      yield* run.ends({ _tag: "Stopped" })
      const told = { status: "CANCELLED", outcome: "cancelled", inferenceTime: null, billingStatus: "failed" }
      yield* assertTold(hook, id, told)
    }).pipe(Effect.provide(layer))
  )

  it.effect("was cancelled or expired before its run has no delay", () =>
    Effect.gen(function* () {
      const told = { status: "CANCELLED", inferenceTime: null, delayTime: null, billingStatus: "failed" }
      const cancelled = yield* Hook.make()
      const expired = yield* Hook.make()
      yield* RequestFacts.submit({ model: pictures })
      yield* (yield* TestProvider).next
      const first = yield* submit(cancelled.url)
      yield* RequestFacts.cancel(first, pictures)
      yield* assertTold(cancelled, first, { ...told, outcome: "cancelled" })
      const second = yield* submit(expired.url, 60_000)
      yield* TestClock.adjust("60 seconds")
      yield* assertTold(expired, second, { ...told, outcome: "expired" })
    }).pipe(Effect.provide(layer))
  )

  it.effect("ended well does not change afterwards", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(503)
      ;(yield* TestProvider).answerWith(() => Effect.succeed(succeeded()))
      const id = yield* submit(hook.url)
      yield* Facts.untilAttempts(Facts.idOf(id), 1)
      yield* RequestFacts.makeUnreadable(id)
      yield* TestClock.adjust("5 seconds")
      const [first, second] = [yield* hook.until(1), yield* hook.until(2)]
      assert.strictEqual(second.text, first.text)
    }).pipe(Effect.provide(layer))
  )
})
