/** `GET …/output/stream`, and a submit that streams: the frames, resuming, leaving, limits and refusals. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Stream } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { LiveRuns } from "#src/features/live-output/LiveRuns.ts"
import { Connections } from "#src/edges/http/edge/Connections.ts"
import { EventReader } from "#streams/EventReader.ts"
import { withAppend } from "#streams/EventStore.ts"
import type { GlobalPosition } from "#streams/GlobalPosition.ts"
import * as StreamName from "#streams/StreamName.ts"
import { raw } from "#test/support/HttpProbe.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, call, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"
import * as Streams from "#test/support/src/edges/http/Streams.ts"

const typist = testModel("test/typist", { output: { stream: "items" } })
const input = { value: "hello" }

const output = (id: string) => `/test/typist/requests/${id}/output/stream`
const events = (client: Effect.Success<ReturnType<typeof Streams.stream>>) =>
  client.events().map(({ data, event }) => [event, event === "done" ? data["outcome"] : data] as const)

/** Another key of the first account. */
const issued = Effect.gen(function* () {
  const accountId = GrantedKeys.accountOf("alpha")
  const made = yield* (yield* Accounts).issueKey({ accountId, name: "of the stream" })
  return { keyId: made.keyId, key: { authorization: `Key ${ApiKey.format(made)}` } }
})

/** A request whose run is under way. */
const begun = Effect.gen(function* () {
  const id = yield* accepted("test/typist", input)
  yield* Lifecycle.start(id)
  return { id, run: (yield* LiveRuns).begin(id, 1) }
})

const complete = Effect.fnUntraced(function* (id: RequestId, run: ReturnType<LiveRuns["Service"]["begin"]>) {
  yield* (yield* LiveRuns).end(run, true)
  yield* Lifecycle.deliver(id, { value: "out" })
})

/** Runs while a submit waits for the log, and when the server has seen the end of a connection. */
const hooks = { submitting: Effect.void, closed: () => {} }

const serving = Streams.layer({
  catalog: BuiltinCatalog.layerOf([typist]),
  log: (store) =>
    withAppend(store, (append) =>
      Effect.tap(store.append(append), () =>
        append.events[0].type === "RequestSubmitted" ? hooks.submitting : Effect.void
      )
    )
}).pipe(
  Layer.provide(Layer.succeed(Connections, { opened: () => {}, closed: () => hooks.closed() })),
  Layer.provideMerge(SkippedTime.layer)
)

layer(serving, { excludeTestServices: true })("The output of a request, streamed", (it) => {
  it.effect("has each chunk when it is made, then how the request ended", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      const client = yield* Streams.stream(output(id))
      run.chunk("a\nb")
      yield* client.until(({ events }) => events().length === 1)
      const [first] = client.events()
      assert.match(first?.id ?? "", /^1-[a-z0-9]{6}-1$/)
      run.chunk({ c: 1 })
      yield* complete(id, run)
      yield* client.closed
      assert.deepStrictEqual(events(client), [
        ["chunk", "a\nb"],
        ["chunk", { c: 1 }],
        ["done", "succeeded"]
      ] as never)
      const { cost, error, request_id, status } = client.events().at(-1)?.data ?? {}
      assert.deepStrictEqual(
        { cost, error, request_id, status },
        { cost: "0.001", error: null, request_id: id, status: "COMPLETED" }
      )
    })
  )

  it.effect("goes on after the last id, by header and by query, and refuses no unknown one", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      run.chunk(1)
      run.chunk(2)
      run.chunk(3)
      yield* complete(id, run)
      const whole = yield* Streams.stream(output(id))
      yield* whole.closed
      const second = whole.events()[1]?.id ?? ""
      const byHeader = yield* Streams.stream(output(id), { "last-event-id": second })
      const byQuery = yield* Streams.stream(`${output(id)}?last_event_id=${second}`)
      const unknown = yield* Streams.stream(output(id), { "last-event-id": "9-zzzzzz-4" })
      yield* byHeader.closed
      yield* byQuery.closed
      yield* unknown.closed
      assert.deepStrictEqual(events(byHeader), [
        ["chunk", 3],
        ["done", "succeeded"]
      ] as never)
      assert.deepStrictEqual(events(byQuery), events(byHeader))
      assert.deepStrictEqual(events(unknown)[0], ["restart", {}] as never)
      assert.lengthOf(unknown.events(), 5)
    })
  )

  it.effect("is refused before its first byte, in the error envelope", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const { id } = yield* begun
      const statusOf = (path: string, headers: Readonly<Record<string, string>> = {}) =>
        Effect.map(call({ path, headers }), ({ status }) => status)
      assert.strictEqual(yield* statusOf(output("short")), 400)
      assert.strictEqual(yield* statusOf(output("rq0000000000000000009")), 404)
      assert.strictEqual(yield* statusOf(`/test/other/requests/${id}/output/stream`), 404)
      assert.strictEqual(yield* statusOf(output(id), { authorization: otherKey }), 403)
      assert.strictEqual(yield* statusOf(output(id), { authorization: "Key no:key" }), 401)
      const reader = yield* GrantedKeys.issue({ scopes: ["requests:write"] })
      assert.strictEqual(yield* statusOf(output(id), reader), 403)
      assert.strictEqual(yield* statusOf(`${output(id)}?from=1`), 400)
    })
  )

  it.effect("of an erased request is not shown", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      run.chunk("secret")
      yield* complete(id, run)
      assert.strictEqual((yield* call({ method: "DELETE", path: `/requests/${id}/payloads` })).status, 204)
      const client = yield* Streams.stream(output(id))
      yield* client.closed
      assert.deepStrictEqual(events(client), [["done", "succeeded"]] as never)
      assert.notInclude(client.text(), "secret")
    })
  )
})

/** Submits and streams. */
const submit = (headers: Readonly<Record<string, string>> = {}) =>
  Streams.stream("/test/typist", { accept: "text/event-stream", ...headers }, { body: input })

const requestOf = Effect.fnUntraced(function* (client: Effect.Success<ReturnType<typeof submit>>) {
  yield* client.until(({ events }) => events().length > 0)
  return client.events()[0]?.data["request_id"] as RequestId
})

const fields = (key: string) => `Host: x\r\nAuthorization: ${key}\r\nContent-Type: application/json\r\n`

/** As bytes, for a client that leaves before its answer. */
const leavingSubmit = (key: string) => {
  const body = JSON.stringify(input)
  const wish = "Accept: text/event-stream\r\nCancel-On-Disconnect: true\r\n"
  return `POST /test/typist HTTP/1.1\r\n${fields(key)}${wish}Content-Length: ${body.length}\r\n\r\n${body}`
}

/** The first request that was submitted after `position`. */
const submittedAfter = Effect.fnUntraced(function* (position: GlobalPosition) {
  const found = yield* (yield* EventReader).subscribe(position).pipe(
    Stream.filter(({ type }) => type === "RequestSubmitted"),
    Stream.runHead
  )
  return RequestId.make(StreamName.idOf(Option.getOrThrow(found).stream))
})

layer(serving, { excludeTestServices: true })("A submit with Accept: text/event-stream", (it) => {
  it.effect("answers with the create response and the output as it is made", () =>
    Effect.gen(function* () {
      const client = yield* submit()
      const id = yield* requestOf(client)
      yield* Lifecycle.start(id)
      const run = (yield* LiveRuns).begin(id, 1)
      run.chunk("x")
      yield* client.until(({ events }) => events().length === 2)
      yield* complete(id, run)
      yield* client.closed
      assert.deepStrictEqual(
        client.events().map(({ event }) => event),
        ["request", "chunk", "done"]
      )
      assert.deepInclude(client.events()[0]?.data, { status: "IN_QUEUE", queue_position: 0 })
    })
  )

  it.effect("ends at once under the idempotency key of a request that has ended", () =>
    Effect.gen(function* () {
      const again = { "idempotency-key": "again" }
      const first = yield* submit(again)
      const id = yield* requestOf(first)
      yield* Lifecycle.start(id)
      yield* complete(id, (yield* LiveRuns).begin(id, 1))
      yield* first.closed
      const second = yield* submit(again)
      // Later it is looked at again in any case.
      yield* Effect.timeout(second.closed, "20 seconds")
      assert.strictEqual(yield* requestOf(second), id)
      assert.deepStrictEqual(events(second).at(-1), ["done", "succeeded"] as never)
    })
  )

  it.effect("is refused like any other submit", () =>
    Effect.gen(function* () {
      const { poorKey } = yield* TestServer.TestServer
      const post = (body: string, headers: Readonly<Record<string, string>> = {}) =>
        call({
          method: "POST",
          path: "/test/typist",
          headers: { ...jsonHeaders, accept: "text/event-stream", ...headers },
          body
        })
      assert.strictEqual((yield* post("{")).status, 400)
      assert.strictEqual((yield* post("{}")).status, 400)
      assert.strictEqual((yield* post(JSON.stringify(input), { authorization: poorKey })).status, 402)
      const malformed = yield* post(JSON.stringify(input), { "cancel-on-disconnect": "yes" })
      assert.strictEqual(malformed.status, 400)
      assert.include(malformed.text, "Cancel-On-Disconnect")
    })
  )

  it.effect("goes on when the client leaves, and is cancelled if the client asked for that", () =>
    Effect.gen(function* () {
      const staying = yield* submit()
      const leaving = yield* submit({ "cancel-on-disconnect": "true" })
      const kept = yield* requestOf(staying)
      const dropped = yield* requestOf(leaving)
      staying.destroy()
      leaving.destroy()
      const cancelled = yield* Facts.untilEnd(dropped)
      assert.strictEqual(cancelled.at(-1)?._tag, "RequestCancelled")
      const { json } = yield* call({ path: `/test/typist/requests/${kept}/status` })
      assert.deepInclude(json, { status: "IN_QUEUE" })
    })
  )

  it.effect("is cancelled when its client leaves while its stream waits behind an earlier answer", () =>
    Effect.gen(function* () {
      const { key, port } = yield* TestServer.TestServer
      const first = yield* accepted("test/typist", input)
      const before = yield* (yield* EventReader).head
      const held = `GET /test/typist/requests/${first}/status?wait=60 HTTP/1.1\r\n${fields(key)}\r\n`
      const client = yield* Effect.forkChild(raw(port, held + leavingSubmit(key)))
      const waiting = yield* submittedAfter(before)
      yield* Fiber.interrupt(client)
      const cancelled = yield* Facts.untilEnd(waiting)
      assert.strictEqual(cancelled.at(-1)?._tag, "RequestCancelled")
    })
  )

  it.effect("is cancelled when its client leaves while the log takes the request", () =>
    Effect.gen(function* () {
      const { key, port } = yield* TestServer.TestServer
      const before = yield* (yield* EventReader).head
      const isWritten = yield* Deferred.make<void>()
      const isClosed = yield* Deferred.make<void>()
      // After that, this client's call has been interrupted.
      hooks.closed = () => setImmediate(() => Deferred.doneUnsafe(isClosed, Effect.void))
      hooks.submitting = Effect.andThen(Deferred.succeed(isWritten, undefined), Deferred.await(isClosed))
      const client = yield* Effect.forkChild(raw(port, leavingSubmit(key)))
      yield* Deferred.await(isWritten)
      yield* Fiber.interrupt(client)
      const cancelled = yield* Facts.untilEnd(yield* submittedAfter(before))
      assert.strictEqual(cancelled.at(-1)?._tag, "RequestCancelled")
    }).pipe(
      Effect.ensuring(Effect.sync(() => Object.assign(hooks, { submitting: Effect.void, closed: () => {} })))
    )
  )

  it.effect("goes on when the key of the stream ends, which is not the client's leaving", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { key, keyId } = yield* issued
      const client = yield* submit({ ...key, "cancel-on-disconnect": "true" })
      const id = yield* requestOf(client)
      yield* accounts.revokeKey(keyId)
      // Keys of streams are judged every 5 s.
      const { until } = yield* SkippedTime
      yield* until("500 millis")(client.closed)
      const { json } = yield* call({ path: `/test/typist/requests/${id}/status` })
      assert.deepInclude(json, { status: "IN_QUEUE" })
    })
  )
})
