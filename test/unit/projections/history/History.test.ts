import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { NanoUsd, units } from "#domain/Money.ts"
import { codec, type Event } from "#domain/inference-request/Event.ts"
import { History } from "#projections/history/History.ts"
import type { OutcomeWord, Status } from "#domain/inference-request/Status.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { t0, alice, bob, echo } = Log

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

const only = Effect.gen(function* () {
  yield* ReadSide.settle("history")
  const { items } = yield* (yield* History).list({ accountId: alice, page: 1, after: null, limit: 100 })
  return items[0]
})

const ended = (status: "charged" | "partial" | "failed", error: string | null): Event => ({
  _tag: "RequestCompleted",
  at: t0 + 300,
  attempt: 1,
  billing: { status, amount: NanoUsd.make(status === "failed" ? 0n : 5n), units: units(1) },
  error
})

const media = [{ path: "/url", fileId: "file", thumbnailId: "thumbnail" }]
const received = (at: number): Event => ({
  _tag: "OutputReceived",
  at,
  attempt: 1,
  delivered: units(1),
  media,
  payloads: { output: { hash: "hash", size: 2 } }
})
const stored = [
  {
    path: "/url",
    fileId: "file",
    fileName: "cat.png",
    contentType: "image/png",
    size: 9,
    thumbnailId: null,
    owned: true
  }
]

describe("History", () => {
  test(
    "finds a request by its id, as in its list, and no missing one",
    Effect.gen(function* () {
      yield* Log.append(1, Log.submitted(alice, echo, t0, { team: "blue" }))
      yield* Log.append(2, Log.submitted(bob, echo, t0))
      const listed = yield* only
      const { find } = yield* History
      assert.deepStrictEqual(yield* find(Log.requestId(1)), listed)
      assert.deepInclude(yield* find(Log.requestId(2)), { accountId: bob })
      assert.isNull(yield* find(Log.requestId(3)))
    })
  )

  test(
    "shows a request from accepted to charged",
    Effect.gen(function* () {
      const position = yield* Log.append(1, Log.submitted(alice, echo, t0, { team: "blue" }))
      assert.deepStrictEqual(yield* only, {
        requestId: Log.requestId(1),
        accountId: alice,
        model: echo,
        status: "IN_QUEUE",
        outcome: "pending",
        metadata: { team: "blue" },
        createdAt: t0,
        startedAt: null,
        runStartedAt: null,
        inferenceMs: null,
        expectedMs: null,
        endedAt: null,
        hasViolations: false,
        isCut: false,
        billingStatus: null,
        amount: null,
        error: null,
        upstream: null,
        media: [],
        erasedAt: null,
        position
      })

      yield* Log.append(1, Log.dispatched(1), Log.started(1, t0 + 100))
      const started = yield* only
      assert.deepInclude(started, { status: "IN_PROGRESS", startedAt: t0 + 100, runStartedAt: t0 + 100 })

      yield* Log.append(1, ended("charged", null))
      const done = yield* only
      assert.deepInclude(done, { status: "COMPLETED", outcome: "succeeded", endedAt: t0 + 300 })
      assert.deepInclude(done, { billingStatus: "charged", amount: NanoUsd.make(5n), inferenceMs: 200 })
    })
  )

  test(
    "keeps a request in progress between two runs, and its first start",
    Effect.gen(function* () {
      yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1), Log.started(1, t0 + 100))
      yield* Log.append(1, Log.requeued(1, t0 + 200))
      assert.deepInclude(yield* only, {
        status: "IN_PROGRESS",
        startedAt: t0 + 100,
        runStartedAt: null
      })
      yield* Log.append(1, Log.dispatched(2), Log.started(2, t0 + 250))
      assert.deepInclude(yield* only, { startedAt: t0 + 100, runStartedAt: t0 + 250 })
    })
  )

  test(
    "forgets the start of a lost run",
    Effect.gen(function* () {
      yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1), Log.started(1, t0 + 100))
      const retried = { _tag: "SweepRetried", at: t0 + 200, attempt: 1, retry: 1, dueAt: t0 + 300 } as const
      yield* Log.append(1, { ...retried, reason: "media_missing" })
      assert.deepInclude(yield* only, { status: "IN_PROGRESS", runStartedAt: t0 + 100 })
      yield* Log.append(1, { ...retried, reason: "lost" })
      assert.deepInclude(yield* only, { startedAt: t0 + 100, runStartedAt: null })
    })
  )

  test(
    "shows an output with files to be stored as in progress, even without a reported start",
    Effect.gen(function* () {
      yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1))
      const position = yield* Log.append(1, received(t0 + 100))
      assert.deepInclude(yield* only, { status: "IN_PROGRESS", startedAt: null, position })
    })
  )

  test(
    "measures a run up to its output, however long its files take, and shows the files",
    Effect.gen(function* () {
      yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1), Log.started(1, t0 + 100))
      yield* Log.append(1, received(t0 + 150))
      assert.deepInclude(yield* only, { inferenceMs: 50, media: [] })
      yield* Log.append(1, { _tag: "MediaStored", at: t0 + 300, attempt: 1, media: stored })
      yield* Log.append(1, ended("charged", null))
      assert.deepInclude(yield* only, { inferenceMs: 50, endedAt: t0 + 300, media: stored })
    })
  )

  test(
    "has no time for a run that was cancelled while its files were being stored",
    Effect.gen(function* () {
      yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1), Log.started(1, t0 + 100))
      yield* Log.append(1, received(t0 + 150), { _tag: "RequestCancelled", at: t0 + 200, reason: "expired" })
      assert.deepInclude(yield* only, { status: "CANCELLED", inferenceMs: null })
    })
  )

  test(
    "shows when payloads were erased, and ignores erasures of other streams",
    Effect.gen(function* () {
      yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1), Log.started(1), Log.completed(1))
      const before = yield* only
      const erased: Event = {
        _tag: "PayloadsErased",
        at: t0 + 900,
        reason: "requested",
        erased: ["input"],
        hasFiles: false
      }
      const store = yield* EventStore
      yield* store.append({
        stream: StreamName.make("WebhookDelivery", Log.requestId(1)),
        expected: ExpectedVersion.Any,
        events: [{ id: "erased-elsewhere", ...codec.encode(erased) }]
      })
      assert.deepInclude(yield* only, { erasedAt: null })
      yield* Log.append(1, erased)
      assert.deepStrictEqual(yield* only, before && { ...before, erasedAt: t0 + 900 })
    })
  )

  test(
    "keeps the position of its last status when it is started again",
    Effect.gen(function* () {
      const begun = [Log.dispatched(1), Log.started(1, t0 + 100)] as const
      const position = yield* Log.append(1, Log.submitted(alice, echo), ...begun)
      yield* Log.append(1, Log.requeued(1, t0 + 200), Log.dispatched(2), Log.started(2, t0 + 250))
      assert.deepInclude(yield* only, { position, runStartedAt: t0 + 250 })
    })
  )

  const ends: ReadonlyArray<readonly [Event, Status, OutcomeWord]> = [
    [ended("partial", null), "COMPLETED", "partial"],
    [ended("failed", "model crashed"), "COMPLETED", "provider_failed"],
    [{ _tag: "RequestFailed", at: t0, attempt: 1, reason: "refused", message: "no" }, "FAILED", "failed"],
    [
      { _tag: "RequestForceFailed", at: t0, attempt: 1, retries: 5, message: "It did not end." },
      "FAILED",
      "failed"
    ],
    [{ _tag: "RequestCancelled", at: t0, reason: "requested" }, "CANCELLED", "cancelled"],
    [{ _tag: "RequestCancelled", at: t0, reason: "expired" }, "CANCELLED", "expired"]
  ]
  for (const [event, status, outcome] of ends) {
    test(
      `reports ${event._tag} that ends a request as ${status} ${outcome}`,
      Effect.gen(function* () {
        yield* Log.append(1, Log.submitted(alice, echo), event)
        assert.deepInclude(yield* only, { status, outcome })
      })
    )
  }

  test(
    "shows what the provider said of an error, of the last run alone",
    Effect.gen(function* () {
      const upstream = { status: 400, code: "context_length_exceeded", param: "messages" }
      const requeued = { ...Log.requeued(1, t0 + 200), upstream: { status: 503 } }
      yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1), requeued)
      assert.deepInclude(yield* only, { upstream: null })
      yield* Log.append(1, {
        _tag: "RequestFailed",
        at: t0 + 300,
        attempt: 2,
        reason: "refused",
        message: "no",
        upstream
      })
      assert.deepInclude(yield* only, { error: "no", upstream })
    })
  )

  for (const error of [null, "The provider delivered nothing."]) {
    test(
      `reports an output that breaks its schema as invalid_output, with ${error === null ? "no error" : "an error"}`,
      Effect.gen(function* () {
        const violations = [{ instancePath: "", message: "must be object" }]
        const rejected: Event = { _tag: "OutputRejected", at: t0, attempt: 1, violations }
        yield* Log.append(1, Log.submitted(alice, echo), rejected, ended("failed", error))
        assert.deepInclude(yield* only, { status: "COMPLETED", outcome: "invalid_output" })
      })
    )
  }
})
