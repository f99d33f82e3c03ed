import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import type { Projection } from "#projections/Projection.ts"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call } from "./Calls.ts"

/** The work queue, which can apply no request. */
const broken: Projection = {
  ...DueWorkProjection.projection,
  open: () => ({
    rules: [
      {
        type: "RequestSubmitted",
        apply: () => {
          throw new Error("not applicable")
        }
      }
    ]
  })
}

const settled = Effect.gen(function* () {
  const { head } = yield* EventReader
  const projections = yield* Projections
  return yield* projections.waitFor(yield* head, { projection: broken.name, timeout: "10 seconds" })
})

const quiet = Logger.layer([])

describe("GET /health", () => {
  it.live("is ok while requests are run", () =>
    Effect.gen(function* () {
      yield* accepted()
      assert.isTrue(yield* settled)
      const { json, status } = yield* call({ path: "/health" })
      assert.deepStrictEqual([status, json], [200, { status: "ok" }])
    }).pipe(Effect.provide(TestServer.layer()))
  )

  it.live("is 503 with a time to come back once the work queue has stopped", () =>
    Effect.gen(function* () {
      yield* accepted()
      assert.isFalse(yield* settled)
      const reply = yield* call({ path: "/health" })
      assertEnvelope(reply, 503)
      assert.strictEqual(reply.headers["retry-after"], "5")
    }).pipe(Effect.provide(TestServer.layer({ projections: [broken] })), Effect.provide(quiet))
  )
})
