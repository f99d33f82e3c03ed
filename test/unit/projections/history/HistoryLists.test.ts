import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { NanoUsd, units } from "#domain/Money.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { History } from "#projections/history/History.ts"
import type { Filter, PageKey } from "#projections/history/HistoryFilter.ts"
import * as Queries from "#projections/history/HistoryQueries.ts"
import * as MetadataLists from "#projections/history/MetadataLists.ts"
import * as MetadataQueries from "#projections/history/MetadataQueries.ts"
import * as FairQueue from "#projections/history/FairQueue.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { t0, alice, bob, echo, slow } = Log

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

const list = Effect.fnUntraced(function* (
  filter: Partial<Filter>,
  page = 1,
  limit = 100,
  after: PageKey | null = null
) {
  yield* ReadSide.settle("history")
  return yield* (yield* History).list({ accountId: alice, ...filter, page, after, limit })
})

const numbers = (page: { readonly items: ReadonlyArray<{ readonly requestId: string }> }) =>
  page.items.map(({ requestId }) => Number(requestId.slice(2)))

const failed: Event = {
  _tag: "RequestCompleted",
  at: t0 + 300,
  attempt: 1,
  billing: { status: "failed", amount: NanoUsd.make(0n), units: units(1) },
  error: "no"
}

describe("A list of requests", () => {
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
      assert.deepStrictEqual(noOne, { total: 0, items: [], next: null })
    })
  )

  test(
    "merges the statuses page by page, also between two times",
    Effect.gen(function* () {
      const ends = [Log.completed(1, t0 + 50), failed]
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

  test(
    "ends after its last request, without a next position",
    Effect.gen(function* () {
      for (const number of [1, 2, 3, 4]) yield* Log.append(number, Log.submitted(alice, echo, t0 + number))
      const first = yield* list({}, 1, 2)
      assert.deepStrictEqual(first.next, { createdAt: t0 + 3, requestId: Log.requestId(3) })
      // New requests do not shift pages.
      yield* Log.append(9, Log.submitted(alice, echo, t0 + 9))
      const second = yield* list({}, 1, 2, first.next)
      assert.deepStrictEqual([second.total, numbers(second), second.next], [5, [2, 1], null])
    })
  )

  test(
    "is limited to the allowed models, with any filter",
    Effect.gen(function* () {
      for (const number of [1, 2, 3, 4]) {
        yield* Log.append(number, Log.submitted(alice, number % 2 === 0 ? echo : slow, t0 + number))
      }
      yield* Log.append(5, Log.submitted(alice, other, t0 + 5))
      const some = yield* list({ models: [echo, slow] })
      assert.deepStrictEqual([some.total, numbers(some)], [4, [4, 3, 2, 1]])
      assert.deepStrictEqual(numbers(yield* list({ models: [echo, slow], model: echo })), [4, 2])
      const none = { total: 0, items: [], next: null }
      assert.deepStrictEqual(yield* list({ models: [echo], model: slow }), none)
      assert.deepStrictEqual(yield* list({ models: [] }), none)
    })
  )

  test(
    "is the same for common metadata, whatever the size of a read",
    Effect.gen(function* () {
      const descending: Array<number> = []
      for (let number = 1; number <= 23; number++) {
        const metadata = { team: "blue", even: String(number % 2 === 0) }
        yield* Log.append(number, Log.submitted(alice, echo, t0 + (number >> 2), metadata))
        if (number % 3 > 0) yield* Log.append(number, Log.dispatched(1), Log.started(1))
        if (number % 3 > 1) yield* Log.append(number, Log.completed(1))
        descending.unshift(number)
      }
      yield* ReadSide.settle("history")
      const sql = yield* ReadModels
      const queue = yield* FairQueue.make
      const filter = { accountId: alice, metadata: { team: "blue" } }
      for (const stride of [1, 4, 23, 24, 100]) {
        const found = yield* MetadataLists.make(sql, queue, stride)(filter, [["team", "blue"]])
        assert.strictEqual(found.total, 23)
        for (const offset of [0, 1, 3, 4, 11, 22, 23]) {
          const items = yield* found.items({ after: null, offset, limit: 5 })
          assert.deepStrictEqual(numbers({ items }), descending.slice(offset, offset + 5))
        }
      }
    })
  )

  test(
    "returns requests with all of the metadata, in any state",
    Effect.gen(function* () {
      for (const number of [1, 2, 3, 4, 5, 6]) {
        const metadata = { team: number % 2 === 0 ? "blue" : "red", order: String(number >> 1) }
        yield* Log.append(number, Log.submitted(alice, echo, t0 + number, metadata))
      }
      yield* Log.append(7, Log.submitted(alice, slow, t0 + 7, { team: "blue", __proto__x: "1" }))
      yield* Log.append(8, Log.submitted(bob, echo, t0 + 8, { team: "blue" }))
      const blue = { metadata: { team: "blue" } }
      assert.deepStrictEqual(numbers(yield* list(blue)), [7, 6, 4, 2])
      yield* Log.append(4, Log.dispatched(1), Log.started(1), Log.completed(1))
      yield* Log.append(6, Log.dispatched(1), Log.started(1))
      const page = yield* list(blue, 2, 2)
      assert.deepStrictEqual([page.total, numbers(page)], [4, [4, 2]])
      assert.deepStrictEqual(numbers(yield* list({ ...blue, status: "COMPLETED" })), [4])
      assert.deepStrictEqual(numbers(yield* list({ ...blue, model: slow })), [7])
      assert.deepStrictEqual(numbers(yield* list({ ...blue, models: [echo], createdBefore: t0 + 6 })), [4, 2])
      const both = yield* list({ metadata: { team: "blue", order: "3" } })
      assert.deepStrictEqual([both.total, numbers(both)], [1, [6]])
      assert.deepStrictEqual((yield* list({ metadata: { team: "blue", order: "9" } })).total, 0)
      assert.deepStrictEqual((yield* list({ metadata: { team: "Blue" } })).total, 0)
    })
  )
})

const other = ModelEndpoint.make("sandbox/other")

const filters: ReadonlyArray<Partial<Filter>> = [
  {},
  { status: "FAILED" },
  { model: echo },
  { status: "FAILED", model: echo },
  { models: [echo, slow] }
]

const search = (table: string) => new RegExp(`^SEARCH ${table} `)

describe("The plan of a list of requests", () => {
  for (const filter of filters) {
    const by = Object.keys(filter).join(" and ") || "nothing"
    const whole = { accountId: alice, ...filter }
    const bounded = { ...whole, createdAfter: t0 }

    test(
      `reaches a distant page using only index entries, filtered by ${by}`,
      Effect.gen(function* () {
        const sql = yield* ReadModels
        for (const after of [null, { createdAt: t0, requestId: Log.requestId(1) }]) {
          const steps = yield* stepsOf(Queries.pageOf(sql, bounded, { after, offset: 1_000, limit: 20 }))
          const entries = steps.filter((step) => step.includes("USING COVERING INDEX history_by_"))
          assert.isNotEmpty(entries)
          for (const step of entries)
            assert.match(step, /status=\? AND (\(created_at,request_id\)|created_at)[<>]/)
          assert.isFalse(steps.some((step) => step.startsWith("SCAN history")))
          // Sorts only the rows of the page.
          assert.lengthOf(
            steps.filter((step) => step.includes("TEMP B-TREE")),
            1
          )
        }
      })
    )

    test(
      `counts by counters, and by index entries at the bounds of time, filtered by ${by}`,
      Effect.gen(function* () {
        const sql = yield* ReadModels
        const total = yield* stepsOf(Queries.sumCounters(sql, whole))
        assert.lengthOf(total, 1)
        assert.match(total[0] ?? "", search("history_counters USING PRIMARY KEY"))
        const edge = { ...bounded, createdBefore: t0 + 9e7 }
        const within = [
          ...(yield* stepsOf(Queries.sumHours(sql, whole, { first: 0, last: 9 }))),
          ...(yield* stepsOf(Queries.countEntries(sql, edge, { after: null, limit: 9 })))
        ]
        const read = within.filter((step) => /history_/.test(step))
        assert.lengthOf(read, 3)
        for (const step of read) assert.match(step, /^SEARCH history_\w+ USING (COVERING INDEX|PRIMARY KEY)/)
        assert.isTrue(
          read.some((step) => /history_hours .* AND status=\? AND hour>\? AND hour<\?/.test(step))
        )
        const hour = yield* stepsOf(Queries.hourAt(sql, whole, { first: 0, last: 9 }, 1_000))
        assert.isFalse(hour.some((step) => step.includes("history_requests")))
      })
    )
  }

  test(
    "reads one entry of metadata in the order of the list, and looks up the others",
    Effect.gen(function* () {
      const sql = yield* ReadModels
      const filter = { accountId: alice, models: [echo], createdAfter: t0 }
      const walk = [
        ["team", "blue"],
        ["order", "1"]
      ] as const
      const place = { createdAt: t0, requestId: "" }
      const slice = { after: { createdAt: t0 + 9, requestId: "" }, until: place }
      const page = yield* stepsOf(
        MetadataQueries.requestsOf(sql, filter, walk, slice, { offset: 0, limit: 20 })
      )
      const count = yield* stepsOf(MetadataQueries.count(sql, filter, walk, slice))
      const end = yield* stepsOf(MetadataQueries.endOfSlice(sql, filter, walk[0], { after: place, steps: 9 }))
      const key = "SEARCH \\w+ USING PRIMARY KEY \\(account_id=\\? AND key=\\? AND value=\\? AND status=\\?"
      const read = [...page, ...count, ...end].filter((step) => /walked|other|history_metadata/.test(step))
      assert.lengthOf(read, 5 * 2 + 2 + 5)
      for (const step of read) assert.match(step, new RegExp(`^${key}`))
      const lookUp = "^SEARCH other .* AND created_at=\\? AND request_id=\\?\\)$"
      assert.lengthOf(
        read.filter((step) => new RegExp(lookUp).test(step)),
        6
      )
      // Limited at both ends: reads nothing outside the slice.
      const bound = "\\(created_at,request_id\\)"
      for (const step of [...page, ...count].filter((step) => step.includes("walked")))
        assert.match(step, new RegExp(`${bound}>\\(\\?,\\?\\) AND ${bound}<\\(\\?,\\?\\)\\)$`))
      assert.isFalse(page.some((step) => step.includes("TEMP B-TREE")))
    })
  )
})
