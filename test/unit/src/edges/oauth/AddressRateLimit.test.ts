import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { AuthorizeLimits } from "#src/edges/oauth/routes/Authorize.ts"
import * as AddressRateLimit from "#src/edges/oauth/AddressRateLimit.ts"

const make = Effect.flatMap(AuthorizeLimits, AddressRateLimit.make)

const [one, other, inside] = ["93.184.216.34", "93.184.216.35", "10.0.0.1"]

/** How many of them were admitted. */
const flood = (take: AddressRateLimit.AddressRateLimit, address: string, calls: number): number =>
  Array.from({ length: calls }, () => take(address)).filter((wait) => wait === 0).length

it.effect("a flood from one public address is limited to its own rate, without affecting others", () =>
  Effect.gen(function* () {
    const take = yield* make
    assert.strictEqual(flood(take, one, 5_000), 60)
    assert.strictEqual(take(one), 1)
    assert.strictEqual(flood(take, other, 60), 60)
    assert.strictEqual(flood(take, inside, 1_200), 1_200)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(flood(take, one, 5_000), 1)
  })
)

it.effect("a flood from non-public addresses limits those, and no public one", () =>
  Effect.gen(function* () {
    const take = yield* make
    assert.strictEqual(flood(take, inside, 5_000), 1_200)
    assert.isAbove(take("127.0.0.1"), 0)
    assert.isAbove(take(""), 0)
    assert.strictEqual(flood(take, one, 60), 60)
  })
)

it.effect("many addresses together are limited to the total rate", () =>
  Effect.gen(function* () {
    const take = yield* make
    const sources = Array.from({ length: 60 }, (_, index) => `93.184.215.${index}`)
    const admitted = sources.map((source) => flood(take, source, 60))
    assert.strictEqual(
      admitted.reduce((sum, count) => sum + count, 0),
      3_000
    )
    assert.strictEqual(take(one), 1)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(take(one), 0)
  })
)
