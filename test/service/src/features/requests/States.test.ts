/**
 * The contract's "States and transitions", row by row: each test is named by its text. Excludes the delivery of
 * webhooks.
 */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import { RequestHandlers } from "#src/edges/api/requests/RequestHandlers.ts"
import { Sweeper } from "#src/features/dispatch/sweep/Sweeper.ts"
import * as MediaModel from "#test/support/src/features/dispatch/finalize/MediaModel.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

import {
  ended,
  invalid,
  nothing,
  params,
  patient,
  read,
  resultOf,
  retrieved,
  row,
  spent,
  statusOf
} from "#test/support/src/features/requests/TransitionClient.ts"

const { gallery } = MediaModel

describe("States and transitions", () => {
  row(
    "(none) | submit | accepted | IN_QUEUE | response returns ids and URLs",
    Effect.gen(function* () {
      const { submit } = yield* RequestHandlers
      const answer = yield* submit({
        ...params("" as RequestId),
        headers: { "content-type": "application/json" },
        wait: undefined,
        readBody: () => Effect.succeed(Buffer.from(`{"value":"in"}`))
      })
      const { status, body } = read(answer)
      assert.deepStrictEqual([status, body["status"]], [200, "IN_QUEUE"])
      assert.match(String(body["request_id"]), /^[A-Za-z0-9_-]{21}$/)
      const url = `https://queue.test/test/single/requests/${String(body["request_id"])}`
      assert.include(body, { response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` })
      assert.deepStrictEqual(yield* spent, { charged: "0", reserved: "0.001" })
    })
  )

  row(
    "IN_QUEUE | provider starts | IN_PROGRESS",
    Effect.gen(function* () {
      const id = yield* Facts.submit()
      const run = yield* (yield* TestProvider).next
      assert.strictEqual((yield* statusOf(id)).body["status"], "IN_QUEUE")
      yield* run.does(({ progress }) => progress({ fraction: 0.5, logs: [] }))
      yield* Effect.forkScoped(TestClock.adjust("20 millis"))
      yield* Facts.untilType(id, "RequestStarted")
      assert.strictEqual((yield* statusOf(id)).body["status"], "IN_PROGRESS")
    }).pipe(Effect.scoped)
  )

  row(
    "IN_PROGRESS | provider finishes with output | output valid | COMPLETED | balance charged",
    Effect.gen(function* () {
      const id = yield* ended(succeeded({ value: "out" }))
      assert.strictEqual((yield* statusOf(id)).body["status"], "COMPLETED")
      const { status, body } = yield* resultOf(id)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body["output"], { value: "out" })
      assert.include(yield* retrieved(id), { billingStatus: "charged", outcome: "succeeded", cost: "0.001" })
      assert.deepStrictEqual(yield* spent, { charged: "0.001", reserved: "0" })
    })
  )

  row(
    "IN_PROGRESS | provider returns an error | FAILED | not billed",
    Effect.gen(function* () {
      const id = yield* ended({ _tag: "ProviderError", message: "no such deployment", retryable: false })
      const { status, body } = yield* statusOf(id)
      assert.strictEqual(status, 400)
      assert.include(body, { status: "FAILED", error: "no such deployment" })
      assert.include(yield* retrieved(id), { billingStatus: "failed", outcome: "failed", cost: "0" })
      assert.deepStrictEqual(yield* spent, nothing)
    })
  )

  row(
    "IN_PROGRESS | output fails schema validation | COMPLETED with billingStatus failed | not billed; result fetch answers 422",
    Effect.gen(function* () {
      const id = yield* ended(succeeded({ label: 1, score: 2 }), invalid)
      assert.include((yield* statusOf(id, invalid)).body, { status: "COMPLETED" })
      const { status, body } = yield* resultOf(id, invalid)
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(body["details"], {
        code: "INVALID_OUTPUT",
        validationErrors: [
          { instancePath: "/label", message: "must be string" },
          { instancePath: "/score", message: "must be <= 1" }
        ]
      })
      assert.include(body, { output: null, request_id: id })
      assert.include(yield* retrieved(id), { billingStatus: "failed", outcome: "invalid_output", cost: "0" })
      assert.deepStrictEqual(yield* spent, nothing)
    })
  )

  row(
    "IN_PROGRESS | provider reports provider failure (webhook view) | COMPLETED with billingStatus failed and populated error | the request itself completed without output",
    Effect.gen(function* () {
      const id = yield* ended({ _tag: "ModelFailed", message: "out of memory" })
      const { status, body } = yield* resultOf(id)
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(body["details"], { code: "UPSTREAM_FAILURE" })
      assert.include(body, { status: "COMPLETED", output: null, error: "out of memory" })
      assert.include(yield* retrieved(id), { billingStatus: "failed", outcome: "provider_failed" })
      assert.deepStrictEqual(yield* spent, nothing)
    })
  )

  row(
    "IN_QUEUE | cancel | provider has not started | CANCELLED | not billed",
    Effect.gen(function* () {
      yield* Facts.submit()
      yield* (yield* TestProvider).next
      // One run at a time: this request waits behind the other.
      const id = yield* Facts.submit()
      const { cancel } = yield* RequestHandlers
      const { status, body } = read(yield* cancel(params(id)))
      assert.deepStrictEqual([status, body["status"]], [200, "CANCELLED"])
      assert.deepInclude(body["cancel"], { accepted: true })
      assert.include(yield* retrieved(id), { outcome: "cancelled", billingStatus: "failed", cost: "0" })
      assert.deepStrictEqual(yield* spent, { charged: "0", reserved: "0.001" })
    })
  )

  for (const outcome of ["Stopped", "Succeeded"] as const) {
    row(
      `IN_PROGRESS | cancel | best-effort | may stay IN_PROGRESS or reach COMPLETED | check the returned status (the provider: ${outcome})`,
      Effect.gen(function* () {
        const id = yield* Facts.submit()
        const run = yield* (yield* TestProvider).next
        yield* run.does(({ started }) => started)
        yield* Effect.forkScoped(
          Effect.andThen(
            run.stopRequested,
            run.ends(outcome === "Stopped" ? { _tag: "Stopped" } : succeeded())
          )
        )
        const { cancel } = yield* RequestHandlers
        const { body } = read(yield* cancel(params(id)))
        const isCancelled = outcome === "Stopped"
        assert.strictEqual(body["status"], isCancelled ? "CANCELLED" : "COMPLETED")
        assert.deepInclude(body["cancel"], { accepted: isCancelled })
        assert.deepStrictEqual(yield* spent, { charged: isCancelled ? "0" : "0.001", reserved: "0" })
      }).pipe(Effect.scoped)
    )
  }

  row(
    "IN_PROGRESS | background sweep | past expected duration | a terminal state | billing charged on success",
    Effect.gen(function* () {
      const provider = yield* TestProvider
      provider.lookAs(() => Effect.succeed({ _tag: "Finished", outcome: succeeded() }))
      const id = yield* Facts.submit()
      const run = yield* provider.next
      yield* run.does(({ accepted }) => accepted("job-1"))
      yield* TestClock.adjust("2 seconds")
      yield* (yield* Sweeper).sweep
      yield* Facts.untilEnd(id)
      assert.include(yield* retrieved(id), { status: "COMPLETED", billingStatus: "charged" })
      assert.deepStrictEqual(yield* spent, { charged: "0.001", reserved: "0" })
    })
  )

  row(
    "IN_PROGRESS | background sweep | marked completed but output media missing | a terminal state | media uploaded, thumbnails made, billing charged on success",
    Effect.gen(function* () {
      const { url } = yield* MediaModel.server((_, response, call) => {
        if (call > 1) return false
        response.writeHead(503).end()
        return true
      })
      const id = yield* Facts.submit({ model: gallery })
      const run = yield* (yield* TestProvider).next
      yield* run.ends(MediaModel.delivered({ images: [{ url: `${url}/a` }, { url: `${url}/b` }] }))
      yield* Facts.untilType(id, "SweepRetried")
      yield* TestClock.adjust("1 minute")
      yield* (yield* Sweeper).sweep
      yield* Facts.untilEnd(id)
      const { media, ...told } = yield* retrieved(id)
      assert.include(told, { status: "COMPLETED", billingStatus: "charged", cost: "0.006" })
      assert.lengthOf(JSON.stringify(media).match(/thumbnail\.webp/g) ?? [], 2)
      assert.deepStrictEqual(yield* spent, { charged: "0.006", reserved: "0" })
    }).pipe(Effect.scoped)
  )

  row(
    "IN_PROGRESS | background sweep | marked completed but output media missing | a terminal state | else marked failed",
    Effect.gen(function* () {
      const id = yield* Facts.submit({ model: gallery })
      const run = yield* (yield* TestProvider).next
      yield* run.ends(MediaModel.delivered({ images: [{ url: "https://192.168.0.1/picture.png" }] }))
      yield* Facts.untilEnd(id)
      assert.include(yield* retrieved(id), { status: "COMPLETED", billingStatus: "failed", cost: "0" })
      assert.strictEqual((yield* resultOf(id, gallery)).status, 422)
      assert.deepStrictEqual(yield* spent, nothing)
    })
  )

  row(
    "any non-terminal | sweep force-fail | retried 5 times and older than 6 hours | FAILED | permanent; associated billing reverted",
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const sweeper = yield* Sweeper
      const id = yield* Facts.submit({ model: patient })
      for (let retry = 1; retry <= 5; retry++) {
        const run = yield* provider.next
        yield* run.does(({ accepted }) => accepted(`job-${retry}`))
        yield* TestClock.adjust("2 seconds")
        yield* sweeper.sweep
        yield* Facts.untilType(id, "SweepRetried", retry)
        assert.strictEqual((yield* statusOf(id, patient)).status, 200)
        yield* TestClock.adjust("1 hour")
      }
      yield* TestClock.adjust("1 hour")
      yield* sweeper.sweep
      yield* Facts.untilType(id, "RequestForceFailed")
      const { status, body } = yield* statusOf(id, patient)
      assert.deepStrictEqual([status, body["status"]], [400, "FAILED"])
      assert.include(yield* retrieved(id), { billingStatus: "failed", outcome: "failed", cost: "0" })
      assert.deepStrictEqual(yield* spent, nothing)
    })
  )
})
