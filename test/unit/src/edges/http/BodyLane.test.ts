import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { AccountId } from "#domain/Ids.ts"
import * as BodyLane from "#src/edges/api/requests/lane/BodyLane.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { single } from "#test/support/TestModels.ts"

const account = AccountId.make("acc_lane")

/** Validation by this schema compares each element of a list with all others. */
const entry = BuiltinCatalog.entryOf({
  ...single,
  model: {
    ...single.model,
    version: "comparing",
    inputSchema: { type: "object", properties: { list: { type: "array", uniqueItems: true } } }
  }
})

const bodyOf = (input: unknown) => Buffer.from(JSON.stringify(input))

const endless = bodyOf({ list: Array.from({ length: 200_000 }, (_, index) => index) })

describe("BodyLane", () => {
  it.effect("gives up a body that takes too long, and reads the next", () =>
    Effect.gen(function* () {
      const lane = yield* BodyLane.make
      const reading = yield* Effect.forkChild(lane.read({ account, body: endless, entry, hasKey: false }), {
        startImmediately: true
      })
      yield* TestClock.adjust("10 seconds")
      const { details, status } = yield* Effect.flip(Fiber.join(reading))
      assert.strictEqual(status, 413)
      assert.deepInclude(details, { code: "TOO_COMPLEX" })
      const next = yield* lane.read({ account, body: bodyOf({ n: 1, list: [2, 2] }), entry, hasKey: false })
      assert.deepStrictEqual(
        next.issues.map(({ code }) => code),
        ["uniqueItems"]
      )
      assert.deepStrictEqual(next.small, { n: 1 })
      assert.strictEqual(Buffer.from(next.text).toString(), '{"n":1,"list":[2,2]}')
    })
  )

  it.live("does not block the server thread", () =>
    Effect.gen(function* () {
      const lane = yield* BodyLane.make
      const reading = yield* Effect.forkChild(lane.read({ account, body: endless, entry, hasKey: false }), {
        startImmediately: true
      })
      const turns = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Effect.replicateEffect(turns, 1_000)
      assert.isUndefined(reading.pollUnsafe())
      yield* Fiber.interrupt(reading)
    })
  )
})
