import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Schema } from "effect"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import type { Projection } from "#projections/Projection.ts"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call } from "#test/support/src/edges/http/Calls.ts"
import * as Until from "#test/support/Until.ts"

/** A work queue that cannot apply any request. */
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

const Unhealthy = Schema.Struct({
  details: Schema.Struct({
    code: Schema.String,
    reasons: Schema.Array(
      Schema.Struct({ code: Schema.String, message: Schema.String, since: Schema.DateTimeUtcFromString })
    )
  })
})

const settled = Effect.gen(function* () {
  const { head } = yield* EventReader
  const projections = yield* Projections
  return yield* projections.waitFor(yield* head, { projection: broken.name, timeout: "10 seconds" })
})

const quiet = Logger.layer([])

describe("GET /health", () => {
  it.live("is ok while requests run", () =>
    Effect.gen(function* () {
      yield* accepted()
      assert.isTrue(yield* settled)
      const { json, status } = yield* call({ path: "/health" })
      assert.deepStrictEqual([status, json], [200, { status: "ok" }])
    }).pipe(Effect.provide(TestServer.layer()))
  )

  it.live("reports only that the process answers with live=1", () =>
    Effect.gen(function* () {
      yield* accepted()
      yield* settled
      const { json, status } = yield* call({ path: "/health?live=1" })
      assert.deepStrictEqual([status, json], [200, { status: "ok" }])
      assertEnvelope(yield* call({ path: "/health?live=0" }), 400)
    }).pipe(Effect.provide(TestServer.layer({ projections: [broken] })), Effect.provide(quiet))
  )

  it.live("is 503 with a reason and Retry-After once the work queue has stopped", () =>
    Effect.gen(function* () {
      yield* accepted()
      assert.isFalse(yield* settled)
      const reply = yield* Until.polled(
        "a 503",
        call({ path: "/health" }),
        ({ status }) => status === 503
      ).pipe(SkippedTime.passing("100 millis"))
      assertEnvelope(reply, 503)
      const { details } = Schema.decodeUnknownSync(Unhealthy)(reply.json)
      assert.strictEqual(details.code, "UNHEALTHY")
      assert.deepStrictEqual(
        details.reasons.map(({ code }) => code),
        ["queue_stopped"]
      )
      assert.strictEqual(reply.headers["retry-after"], "5")
    }).pipe(
      Effect.provide(TestServer.layer({ projections: [broken] })),
      Effect.provide(quiet),
      Effect.provide(SkippedTime.layer)
    )
  )
})
