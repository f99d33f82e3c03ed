import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { NanoUsd, units } from "#domain/Money.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import { History } from "#projections/history/History.ts"
import { type Filter, pageOf } from "#projections/history/HistoryQueries.ts"
import type { OutcomeWord, Status } from "#domain/inference-request/Status.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { stepsOf } from "../QueryPlan.ts"
import * as ReadSide from "../ReadSide.ts"
import * as Log from "../RequestLog.ts"

const { t0, alice, bob, echo, slow } = Log

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

const list = Effect.fnUntraced(function* (filter: Partial<Filter>, page = 1, limit = 100) {
  yield* ReadSide.settle("history")
  const history = yield* History
  return yield* history.list({ accountId: alice, ...filter, page, limit })
})

const numbers = (page: { readonly items: ReadonlyArray<{ readonly requestId: string }> }) =>
  page.items.map(({ requestId }) => Number(requestId.slice(2)))

const only = Effect.map(list({}), ({ items }) => items[0])

const ended = (status: "charged" | "partial" | "failed", error: string | null): Event => ({
  _tag: "RequestCompleted",
  at: t0 + 300,
  attempt: 1,
  billing: { status, amount: NanoUsd.make(status === "failed" ? 0n : 5n), units: units(1) },
  error
})

describe("History", () => {
  test(
    "finds a request by its id, as its list has it, and none that is not there",
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
        endedAt: null,
        billingStatus: null,
        amount: null,
        error: null,
        position
      })

      yield* Log.append(1, Log.dispatched(1), Log.started(1, t0 + 100))
      const started = yield* only
      assert.deepInclude(started, { status: "IN_PROGRESS", startedAt: t0 + 100, runStartedAt: t0 + 100 })

      yield* Log.append(1, ended("charged", null))
      const done = yield* only
      assert.deepInclude(done, { status: "COMPLETED", outcome: "succeeded", endedAt: t0 + 300 })
      assert.deepInclude(done, { billingStatus: "charged", amount: NanoUsd.make(5n) })
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
    "forgets the start of a run that the sweep found lost",
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
    "shows an output whose files are to be stored in progress, though its start was never reported",
    Effect.gen(function* () {
      yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1))
      const received = {
        _tag: "OutputReceived",
        at: t0 + 100,
        attempt: 1,
        delivered: units(1),
        payloads: { output: { hash: "hash", size: 2 } }
      } as const
      const media = [{ path: "/url", fileId: "file", thumbnailId: "thumbnail" }]
      const position = yield* Log.append(1, { ...received, media })
      assert.deepInclude(yield* only, { status: "IN_PROGRESS", startedAt: null, position })
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
      `calls ${event._tag} that ends a request as ${status} ${outcome}`,
      Effect.gen(function* () {
        yield* Log.append(1, Log.submitted(alice, echo), event)
        assert.deepInclude(yield* only, { status, outcome })
      })
    )
  }

  for (const error of [null, "The provider delivered nothing."]) {
    test(
      `calls an output that breaks its schema invalid_output, with ${error === null ? "no error" : "an error"}`,
      Effect.gen(function* () {
        const violations = [{ instancePath: "", message: "must be object" }]
        const rejected: Event = { _tag: "OutputRejected", at: t0, attempt: 1, violations }
        yield* Log.append(1, Log.submitted(alice, echo), rejected, ended("failed", error))
        assert.deepInclude(yield* only, { status: "COMPLETED", outcome: "invalid_output" })
      })
    )
  }

  test(
    "lists newest first, page by page, with the totals of the filter",
    Effect.gen(function* () {
      for (const number of [1, 2, 3, 4, 5, 6, 7]) {
        const model = number % 2 === 0 ? echo : slow
        yield* Log.append(number, Log.submitted(alice, model, t0 + number))
      }
      yield* Log.append(8, Log.submitted(bob, echo, t0 + 8))
      yield* Log.append(2, Log.dispatched(1), Log.started(1), Log.completed(1))

      const first = yield* list({}, 1, 3)
      assert.deepStrictEqual([first.total, numbers(first)], [7, [7, 6, 5]])
      assert.deepStrictEqual(numbers(yield* list({}, 3, 3)), [1])
      assert.deepStrictEqual(numbers(yield* list({}, 4, 3)), [])

      const byModel = yield* list({ model: slow }, 1, 2)
      assert.deepStrictEqual([byModel.total, numbers(byModel)], [4, [7, 5]])
      const byStatus = yield* list({ status: "COMPLETED" })
      assert.deepStrictEqual([byStatus.total, numbers(byStatus)], [1, [2]])
      const byBoth = yield* list({ model: echo, status: "IN_QUEUE" })
      assert.deepStrictEqual([byBoth.total, numbers(byBoth)], [2, [6, 4]])
      const byTime = yield* list({ createdAfter: t0 + 2, createdBefore: t0 + 6, model: slow })
      assert.deepStrictEqual([byTime.total, numbers(byTime)], [2, [5, 3]])
      const noOne = yield* list({ status: "FAILED" })
      assert.deepStrictEqual(noOne, { total: 0, items: [] })
    })
  )

  test(
    "merges the statuses page by page, also between two times",
    Effect.gen(function* () {
      const ends = [Log.completed(1, t0 + 50), ended("failed", "no")]
      for (let number = 1; number <= 12; number++) {
        yield* Log.append(number, Log.submitted(alice, number % 2 === 0 ? echo : slow, t0 + (number >> 1)))
        if (number % 3 > 0) yield* Log.append(number, Log.dispatched(1), Log.started(1))
        const end = ends[number % 4]
        if (number % 3 > 1 && end !== undefined) yield* Log.append(number, end)
      }
      yield* Log.append(9, { _tag: "RequestCancelled", at: t0 + 60, reason: "requested" })
      const descending = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
      for (const limit of [1, 5, 12]) {
        const found: Array<number> = []
        for (let page = 1; found.length < 12; page++) found.push(...numbers(yield* list({}, page, limit)))
        assert.deepStrictEqual(found, descending)
      }
      const bounded = yield* list({ createdAfter: t0 + 1, createdBefore: t0 + 5 }, 2, 3)
      assert.deepStrictEqual([bounded.total, numbers(bounded)], [6, [6, 5, 4]])
      const byModel = yield* list({ model: echo, createdAfter: t0 + 2 }, 1, 2)
      assert.deepStrictEqual([byModel.total, numbers(byModel)], [4, [12, 10]])
    })
  )

  for (const filter of [
    {},
    { status: "FAILED" },
    { model: echo },
    { status: "FAILED", model: echo }
  ] as const) {
    test(
      `steps to a page deep down over index entries alone, filtered by ${Object.keys(filter).join(" and ") || "nothing"}`,
      Effect.gen(function* () {
        const sql = yield* ReadModels
        const bounded = { accountId: alice, ...filter, createdAfter: t0 }
        const steps = yield* stepsOf(pageOf(sql, bounded, 1_000, 20))
        assert.isTrue(steps.some((step) => step.includes("USING COVERING INDEX history_by_")))
        assert.isFalse(steps.some((step) => step.startsWith("SCAN history")))
        // The rows of the page itself are sorted, and those only.
        assert.lengthOf(
          steps.filter((step) => step.includes("TEMP B-TREE")),
          1
        )
      })
    )
  }
})
