/** While the log cannot be read, requests in memory are answered as usual, and others from the history. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import * as HistoryProjection from "#projections/history/HistoryProjection.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import { withAppend } from "#streams/EventStore.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import { settle } from "#test/support/projections/ReadSide.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call, submit } from "#test/support/src/edges/http/Calls.ts"
import { make } from "#test/support/src/edges/http/TokenCalls.ts"

/** The test sets `away`. */
const server = (log: { isAway: boolean }) =>
  TestServer.layer({
    projections: [DueWorkProjection.projection, HistoryProjection.projection],
    log: (store) => ({
      ...withAppend(store, (append) =>
        Effect.suspend(() =>
          log.isAway ? Effect.fail(new EventStoreError({ reason: "no route to it" })) : store.append(append)
        )
      ),
      read: (stream, after) =>
        Effect.suspend(() =>
          log.isAway
            ? Effect.fail(new EventStoreError({ reason: "no route to it" }))
            : store.read(stream, after)
        )
    })
  }).pipe(Layer.provideMerge(SkippedTime.layer))

/** The request is not in memory any more. */
const forget = Effect.fnUntraced(function* (id: RequestId) {
  const stream = StreamName.make("InferenceRequest", id)
  const [first] = yield* (yield* EventReader).read(stream)
  if (first === undefined) return yield* Effect.die("No such request")
  const unseen = { ...first, ordinal: 99, version: trustedVersion("99") }
  const actors = yield* RequestActors
  actors.observe([new RecordedEvent(unseen)])
  assert.isUndefined(actors.peek(id))
})

/** One of each; then the log becomes unavailable. */
const requests = Effect.fnUntraced(function* (log: { isAway: boolean }) {
  const ids = {
    waiting: yield* accepted(),
    running: yield* accepted(),
    completed: yield* accepted(),
    failed: yield* accepted(),
    cancelled: yield* accepted(),
    inMemory: yield* accepted()
  }
  for (const id of [ids.running, ids.completed, ids.failed]) yield* Lifecycle.start(id)
  yield* Lifecycle.log(ids.running, "a line")
  yield* Lifecycle.deliver(ids.completed, { value: 1 })
  yield* Lifecycle.end(ids.failed, { _tag: "ProviderError", message: "not today", retryable: false })
  yield* call({ method: "PUT", path: `/sandbox/echo/requests/${ids.cancelled}/cancel` })
  yield* settle("history")
  const { inMemory: _, ...forgotten } = ids
  yield* Effect.forEach(Object.values(forgotten), forget)
  log.isAway = true
  return ids
})

const status = (id: string, query = "") =>
  call({ method: "GET", path: `/sandbox/echo/requests/${id}/status${query}` })
const result = (id: string) => call({ method: "GET", path: `/sandbox/echo/requests/${id}` })
const retrieved = (id: string) => call({ method: "GET", path: `/requests/${id}` })

describe("While the log cannot be read", () => {
  it.live("each request has its status, on both paths", () => {
    const log = { isAway: false }
    return Effect.gen(function* () {
      const [submits, reads] = yield* Effect.forEach([{}, { readOnly: true }], (more) =>
        Effect.map(make({ models: ["sandbox/echo"], ...more }), ({ token }) => `Key ${token}`)
      )
      const ids = yield* requests(log)
      for (const query of ["", "?wait=0"]) {
        const told = yield* Effect.forEach(Object.values(ids), (id) => status(id, query))
        assert.deepStrictEqual(
          told.map(({ json }) => Reflect.get(Object(json), "status")),
          ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED", "IN_QUEUE"]
        )
        assert.deepStrictEqual(
          told.map(({ status }) => status),
          [200, 200, 200, 400, 200, 200]
        )
      }
      const completed = yield* status(ids.completed)
      assert.deepInclude(completed.json, { logs: "", metrics: { inference_time: 1.5 } })
      assert.deepInclude((yield* status(ids.failed)).json, { error: "not today" })
      // The history does not know whether the token has submitted it.
      const path = `/sandbox/echo/requests/${ids.waiting}/status`
      assertEnvelope(yield* call({ path, headers: { authorization: submits ?? "" } }), 503)
      assert.strictEqual((yield* call({ path, headers: { authorization: reads ?? "" } })).status, 200)
      const inMemory = `/sandbox/echo/requests/${ids.inMemory}/status`
      assertEnvelope(yield* call({ path: inMemory, headers: { authorization: submits ?? "" } }), 403)
    }).pipe(Effect.provide(server(log)))
  })

  it.live("a held poll ends at its time limit with the known state", () => {
    const log = { isAway: false }
    return Effect.gen(function* () {
      const ids = yield* requests(log)
      const { until } = yield* SkippedTime
      const reply = yield* until("100 millis")(status(ids.running, "?wait=1"))
      assert.deepInclude(reply.json, { status: "IN_PROGRESS" })
    }).pipe(Effect.provide(server(log)))
  })

  it.live("unknown data is answered with 503 and Retry-After", () => {
    const log = { isAway: false }
    return Effect.gen(function* () {
      const ids = yield* requests(log)
      const wants = { value: 1 }
      const replies = [
        yield* result(ids.completed),
        yield* retrieved(ids.completed),
        yield* retrieved(ids.waiting),
        yield* status("rq-------------------"),
        yield* call({ method: "PUT", path: `/sandbox/echo/requests/${ids.waiting}/cancel` }),
        yield* submit(wants),
        yield* submit(wants, { "idempotency-key": "k" })
      ]
      for (const reply of replies) {
        assertEnvelope(reply, 503)
        assert.strictEqual(reply.headers["retry-after"], "5")
      }
      assertEnvelope(yield* result(ids.waiting), 400)
      assertEnvelope(yield* result(ids.failed), 400)
      assertEnvelope(yield* result(ids.cancelled), 400)
      assert.strictEqual((yield* retrieved(ids.inMemory)).status, 200)
    }).pipe(Effect.provide(server(log)))
  })

  it.live("another account's request, or one under another model, is not disclosed", () => {
    const log = { isAway: false }
    return Effect.gen(function* () {
      const ids = yield* requests(log)
      const { otherKey } = yield* TestServer.TestServer
      // The key has been used on this node before.
      log.isAway = false
      yield* call({ method: "GET", path: `/requests/${ids.inMemory}`, headers: { authorization: otherKey } })
      log.isAway = true
      const path = `/sandbox/echo/requests/${ids.completed}/status`
      assertEnvelope(yield* call({ method: "GET", path, headers: { authorization: otherKey } }), 403)
      const elsewhere = `/sandbox/slow/requests/${ids.completed}/status`
      assertEnvelope(yield* call({ method: "GET", path: elsewhere }), 404)
    }).pipe(Effect.provide(server(log)))
  })

  it.live("a client does not keep a partial answer once the log is back", () => {
    const log = { isAway: false }
    return Effect.gen(function* () {
      const ids = yield* requests(log)
      const { headers, json } = yield* status(ids.running)
      assert.deepInclude(json, { logs: "" })
      log.isAway = false
      const path = `/sandbox/echo/requests/${ids.running}/status`
      const whole = yield* call({
        method: "GET",
        path,
        headers: { "if-none-match": String(headers["etag"]) }
      })
      assert.strictEqual(whole.status, 200)
      assert.deepInclude(whole.json, { logs: "a line" })
    }).pipe(Effect.provide(server(log)))
  })
})
