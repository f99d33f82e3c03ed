import { assert, describe, it } from "@effect/vitest"
import { RequestId } from "#domain/Ids.ts"
import type { StatusChange } from "#projections/live-status/LiveStatus.ts"
import * as Audience from "#src/features/requests/live/Audience.ts"
import type { StreamFilter } from "#src/features/requests/live/StreamFilter.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { alice, bob, echo, requestId, slow } from "#test/support/projections/RequestLog.ts"

const change = (number: number, accountId = alice, model = echo): StatusChange => ({
  change: number,
  accountId,
  requestId: requestId(number),
  model,
  status: "IN_QUEUE",
  position: GlobalPosition.trusted(String(number)),
  inferenceMs: null,
  expectedMs: null,
  error: null,
  upstream: null
})

const all: StreamFilter = { accountId: alice, requestIds: null, models: null }
const named = (...numbers: ReadonlyArray<number>): StreamFilter => ({
  ...all,
  requestIds: new Set(numbers.map((number) => RequestId.make(requestId(number))))
})

const changes = [change(1), change(2, bob), change(3, alice, slow), change(4)]

/** Which listeners get which change. */
const told = (audience: Audience.Audience<string>) =>
  Object.fromEntries(
    [...audience.byCohort(changes)].flatMap(([{ members }, changes]) =>
      [...members].map((member) => [member, changes.map(({ change }) => change)])
    )
  )

describe("Audience", () => {
  it("sends each group its own changes, in order", () => {
    const audience = Audience.make<string>()
    audience.add(all, "all")
    audience.add({ ...all, accountId: bob }, "bob")
    audience.add({ ...all, models: [slow] }, "slow")
    audience.add({ ...all, models: [] }, "no model")
    audience.add(named(4, 3), "named")
    audience.add({ ...named(4, 3), models: [echo] }, "named, of a model")
    audience.add(named(2), "another account's")
    assert.deepStrictEqual(told(audience), {
      all: [1, 3, 4],
      bob: [2],
      slow: [3],
      named: [3, 4],
      "named, of a model": [4]
    })
  })

  it("groups equal subscriptions, and drops removed ones", () => {
    const audience = Audience.make<string>()
    const first = audience.add(named(1, 3), "first")
    const second = audience.add(named(3, 1), "second")
    assert.strictEqual(first, second)
    assert.strictEqual(audience.size(), 2)
    audience.remove(first, "first")
    audience.remove(first, "first")
    assert.deepStrictEqual(told(audience), { second: [1, 3] })
    audience.remove(second, "second")
    assert.deepStrictEqual(told(audience), {})
    assert.strictEqual(audience.size(), 0)
    audience.add(named(1, 3), "third")
    assert.deepStrictEqual(told(audience), { third: [1, 3] })
  })
})
