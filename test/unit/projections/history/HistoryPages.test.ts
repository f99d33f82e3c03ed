/** Any page, by number or by position, equals a filter over all requests. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Struct } from "effect"
import * as fc from "fast-check"
import type { AccountId } from "#domain/Ids.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import { Status } from "#domain/inference-request/Status.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { History } from "#projections/history/History.ts"
import { hourMs } from "#projections/history/HistoryCounters.ts"
import type { Filter, PageKey } from "#projections/history/HistoryFilter.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { alice, bob, t0 } = Log

const models = ["sandbox/echo", "sandbox/slow", "sandbox/other"].map((name) => ModelEndpoint.make(name))

/** More than are skipped one by one. */
const population = 2_600
const days = 2
const minuteMs = 60_000

interface Life {
  readonly accountId: AccountId
  readonly model: ModelEndpoint
  readonly createdAt: number
  readonly metadata: Record<string, string>
  readonly status: Status
}

const metadata = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.record(
      { team: fc.constantFrom("blue", "red"), order: fc.constantFrom("1", "2", "3") },
      { requiredKeys: [] }
    )
  }
)

/** Many in one ms, and many at both ends of an hour. */
const moment = fc.oneof(
  fc.integer({ min: 0, max: days * 24 * hourMs }),
  fc.integer({ min: 0, max: 40 }),
  fc
    .tuple(fc.integer({ min: 1, max: days * 24 }), fc.integer({ min: -1, max: 1 }))
    .map(([hour, beside]) => Math.ceil(t0 / hourMs) * hourMs - t0 + hour * hourMs + beside)
)

const life: fc.Arbitrary<Life> = fc.record({
  accountId: fc.constantFrom(alice, alice, alice, alice, bob),
  model: fc.constantFrom(...models),
  createdAt: moment.map((after) => t0 + after),
  metadata: metadata.map((found) => ({ ...found })),
  status: fc.constantFrom(...Status.literals)
})

const eventsOf = ({ createdAt, status }: Life): ReadonlyArray<Event> => {
  const begun = [Log.dispatched(1, createdAt), Log.started(1, createdAt)]
  switch (status) {
    case "IN_QUEUE":
      return []
    case "IN_PROGRESS":
      return begun
    case "COMPLETED":
      return [...begun, Log.completed(1, createdAt)]
    case "FAILED":
      return [
        ...begun,
        { _tag: "RequestFailed", at: createdAt, attempt: 1, reason: "refused", message: "no" }
      ]
    case "CANCELLED":
      return [{ _tag: "RequestCancelled", at: createdAt, reason: "requested" }]
  }
}

type Asked = Omit<Filter, "accountId">

const time = moment.map((after) => t0 + after)

const asked: fc.Arbitrary<Asked> = fc.record(
  {
    status: fc.constantFrom(...Status.literals),
    model: fc.constantFrom(...models),
    models: fc.uniqueArray(fc.constantFrom(...models), { minLength: 1 }),
    createdAfter: time,
    createdBefore: time,
    metadata: fc.record(
      { team: fc.constantFrom("blue", "red"), order: fc.constantFrom("1", "2") },
      { requiredKeys: [] }
    )
  },
  { requiredKeys: [] }
)

const newestFirst = (a: PageKey, b: PageKey) =>
  b.createdAt - a.createdAt || (a.requestId < b.requestId ? 1 : -1)

const lets =
  ({ createdAfter = 0, createdBefore = Infinity, metadata = {}, model, models, status }: Asked) =>
  (life: Life): boolean =>
    life.accountId === alice &&
    (status === undefined || life.status === status) &&
    (model === undefined || life.model === model) &&
    (models === undefined || models.includes(life.model)) &&
    life.createdAt > createdAfter &&
    life.createdAt < createdBefore &&
    Object.entries(metadata).every(([key, value]) => life.metadata[key] === value)

/** All pages of the list, each after the previous one. */
const walk = Effect.fnUntraced(function* (filter: Asked, limit: number) {
  const history = yield* History
  const found: Array<string> = []
  let after: PageKey | null = null
  do {
    const page: Effect.Success<ReturnType<typeof history.list>> = yield* history.list({
      ...filter,
      accountId: alice,
      page: 1,
      after,
      limit
    })
    found.push(...page.items.map(({ requestId }) => requestId))
    after = page.next
  } while (after !== null)
  return found
})

const check = Effect.fnUntraced(function* (
  lives: ReadonlyArray<Life & PageKey>,
  filter: Asked,
  limit: number,
  pages: ReadonlyArray<number>
) {
  const history = yield* History
  const expected = lives.filter(lets(filter)).toSorted(newestFirst)
  const ids = expected.map(({ requestId }) => requestId)
  assert.deepStrictEqual(yield* walk(filter, limit), ids)
  const last = Math.ceil(ids.length / limit)
  for (const page of [1, last, last + 1, ...pages].filter((page) => page > 0)) {
    const { items, next, total } = yield* history.list({
      ...filter,
      accountId: alice,
      page,
      after: null,
      limit
    })
    assert.strictEqual(total, ids.length)
    const shown = items.map(({ requestId }) => requestId)
    assert.deepStrictEqual(shown, ids.slice((page - 1) * limit, page * limit))
    const end = expected[page * limit - 1]
    const follows = ids.length > page * limit && end !== undefined
    assert.deepStrictEqual(next, follows ? Struct.pick(end, ["createdAt", "requestId"]) : null)
  }
})

const cases = fc.array(
  fc.tuple(
    asked,
    fc.integer({ min: 23, max: 100 }),
    fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 })
  ),
  { minLength: 30, maxLength: 30 }
)

describe("The pages of a list of requests", () => {
  it("equal a filter over all requests, by number and by position; a failure prints the seed", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(life, { minLength: population, maxLength: population }),
        cases,
        (lives, cases) =>
          Effect.gen(function* () {
            const placed = lives.map((life, number) => ({ ...life, requestId: Log.requestId(number) }))
            for (const [number, life] of placed.entries()) {
              const { accountId, createdAt, metadata, model } = life
              yield* Log.append(
                number,
                Log.submitted(accountId, model, createdAt, metadata),
                ...eventsOf(life)
              )
            }
            yield* ReadSide.settle("history")
            // Far down in the list, where counters are used, with any filter.
            const deep = [51, 52, 60, 75, 99]
            yield* check(placed, {}, 20, deep)
            const end = t0 + days * 24 * hourMs
            yield* check(placed, { createdBefore: end - 20 * minuteMs }, 20, deep)
            const bounds = { createdAfter: t0 + 50 * minuteMs, createdBefore: end - 110 * minuteMs }
            yield* check(placed, { ...bounds, models: models.slice(0, 2) }, 10, [...deep, 101, 102])
            for (const [filter, limit, pages] of cases) yield* check(placed, filter, limit, pages)
          }).pipe(Effect.provide(ReadSide.layer), Effect.runPromise)
      ),
      // The population is not shrunk: that would take long and show little.
      { numRuns: 1, endOnFailure: true }
    ))
})
