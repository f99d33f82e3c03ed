import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, call, submit } from "#test/support/src/edges/http/Calls.ts"
import { names, scenarios } from "#test/support/src/edges/http/Scenarios.ts"
import * as Streams from "#test/support/src/edges/http/Streams.ts"

const failure = { _tag: "ProviderError", message: "refused", retryable: false } as const

layer(Streams.layer(), { excludeTestServices: true })("GET /requests/stream", (it) => {
  it.effect("opens with headers that prevent caching and buffering", () =>
    Effect.gen(function* () {
      const client = yield* Streams.stream()
      yield* client.until(({ body }) => body().includes("retry"))
      const head = client.text().toLowerCase()
      assert.match(head, /^http\/1\.1 200 ok\r\n/)
      for (const field of [
        "content-type: text/event-stream\r\n",
        "cache-control: no-store\r\n",
        "x-accel-buffering: no\r\n",
        "x-content-type-options: nosniff\r\n",
        "connection: close\r\n"
      ]) {
        assert.include(head, field)
      }
      assert.match(client.text(), /x-request-id: call_[\w-]{21}\r\n/)
      assert.match(client.body(), /^retry: 2000\n\n/)
    })
  )

  it.effect("sends a position to a client that has received no event", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const idle = yield* Streams.stream("/requests/stream", { authorization: otherKey })
      yield* idle.until(({ body }) => body().includes(": up to here"))
      assert.isEmpty(idle.events())
      const place = /: up to here\nid: (\S+)\n\n$/.exec(idle.body())?.[1] ?? ""
      assert.isNotEmpty(place)
      idle.destroy()
      const { json } = yield* submit({ value: 1 }, { authorization: otherKey })
      const again = yield* Streams.stream("/requests/stream", {
        authorization: otherKey,
        "last-event-id": place
      })
      yield* again.until((client) => client.events().length > 0)
      assert.deepInclude(again.events()[0]?.data, {
        request_id: Object(json)["request_id"],
        status: "IN_QUEUE"
      })
    })
  )

  it.effect("sends each change as in the status route, with the position of its event as id", () =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const client = yield* Streams.stream()
      const id = yield* accepted()
      const statusOf = Effect.map(call({ path: `/sandbox/echo/requests/${id}/status` }), ({ json }) => json)
      const accepting = yield* statusOf
      yield* Lifecycle.start(id, 40)
      const running = yield* statusOf
      yield* Lifecycle.deliver(id, { value: 1 })
      const ended = yield* statusOf
      yield* client.until((client) => client.body().includes("COMPLETED"))
      const events = client.events().filter(({ data }) => data["request_id"] === id)
      const bodies = [accepting, running, ended].map((body) => ({
        ...Object(body),
        modelEndpoint: "sandbox/echo"
      }))
      assert.deepStrictEqual(
        events.map(({ data }) => data),
        bodies
      )
      assert.deepInclude(bodies[2], { metrics: { inference_time: 1.5 } })
      // Byte for byte.
      const [first] = events
      const url = `${urls.queueUrl}/sandbox/echo/requests/${id}`
      const data = `{"status":"IN_QUEUE","request_id":"${id}","response_url":"${url}","status_url":"${url}/status","cancel_url":"${url}/cancel","logs":"","metrics":{"expected_time":1},"queue_position":0,"modelEndpoint":"sandbox/echo"}`
      assert.include(client.body(), `\n\nid: ${first?.id}\nevent: status\ndata: ${data}\n\n`)
    })
  )

  it.effect("sends how each request ended", () =>
    Effect.gen(function* () {
      for (const name of names.filter((name) => name !== "erased")) {
        const id = yield* scenarios[name]
        const client = yield* Streams.stream(`/requests/stream?request_id=${id}`)
        yield* client.until((client) => client.events().length === 1)
        const { json } = yield* call({ path: `/requests/${id}` })
        const { modelEndpoint, status_url } = Object(json)
        const { json: status } = yield* call({ path: new URL(status_url).pathname })
        assert.deepStrictEqual(client.events()[0]?.data, { ...Object(status), modelEndpoint }, name)
      }
    })
  )

  it.effect("sends log lines with the end of a request on demand", () =>
    Effect.gen(function* () {
      const plain = yield* Streams.stream()
      const withLogs = yield* Streams.stream("/requests/stream?logs=1")
      const completed = yield* accepted()
      const failed = yield* accepted()
      for (const id of [completed, failed]) {
        yield* Lifecycle.start(id)
        yield* Lifecycle.log(id, "one", "two")
      }
      yield* Lifecycle.deliver(completed, { value: 1 })
      yield* Lifecycle.end(failed, failure)
      for (const client of [plain, withLogs])
        yield* client.until((client) => client.body().includes("FAILED"))
      const logsOf = (client: typeof plain, id: string) =>
        client.events().flatMap(({ data }) => (data["request_id"] === id ? [data["logs"]] : []))
      assert.deepStrictEqual(logsOf(withLogs, completed), ["", "", "one\ntwo"])
      assert.deepStrictEqual(logsOf(plain, completed), ["", "", ""])
      assert.deepStrictEqual(logsOf(withLogs, failed), ["", "", ["one", "two"]])
      assert.deepStrictEqual(logsOf(plain, failed), ["", "", []])
    })
  )

  it.effect("begins with open requests, in the order of their last changes", () =>
    Effect.gen(function* () {
      const [first, second, ended] = [yield* accepted(), yield* accepted(), yield* accepted()]
      yield* Lifecycle.start(first)
      yield* Lifecycle.start(ended)
      yield* Lifecycle.deliver(ended, { value: 1 })
      const client = yield* Streams.stream()
      yield* client.until((client) => client.body().includes(first))
      const ours = Streams.told(client).filter(([id]) => [first, second, ended].some((own) => own === id))
      assert.deepStrictEqual(ours, [
        [second, "IN_QUEUE"],
        [first, "IN_PROGRESS"]
      ])
    })
  )

  it.effect("of a model sends only its requests", () =>
    Effect.gen(function* () {
      const client = yield* Streams.stream("/requests/stream?modelEndpoint=sandbox/slow")
      yield* accepted("sandbox/echo")
      const slow = yield* accepted("sandbox/slow", { seconds: 1 })
      yield* client.until((client) => client.events().length > 0)
      assert.deepStrictEqual(Streams.told(client), [[slow, "IN_QUEUE"]])
    })
  )

  it.effect("of another account sends nothing", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const other = yield* Streams.stream("/requests/stream", { authorization: otherKey })
      const own = yield* Streams.stream()
      const id = yield* accepted()
      yield* own.until((client) => client.body().includes(id))
      const { json } = yield* submit({ value: 1 }, { authorization: otherKey })
      const othersId = String(Object(json)["request_id"])
      yield* other.until((client) => client.body().includes(othersId))
      assert.notInclude(other.body(), id)
    })
  )

  it.effect("resumes after the client's last event", () =>
    Effect.gen(function* () {
      const client = yield* Streams.stream()
      const id = yield* accepted()
      yield* Lifecycle.start(id)
      yield* client.until((client) => client.body().includes(`IN_PROGRESS","request_id":"${id}`))
      const last = client.events().find(({ data }) => data["request_id"] === id)?.id ?? ""
      client.destroy()
      yield* Lifecycle.deliver(id, { value: 1 })
      for (const [path, headers] of [
        ["/requests/stream", { "last-event-id": last }],
        [`/requests/stream?last_event_id=${last}`, {}],
        // The header is newer, because browsers keep the URL.
        ["/requests/stream?last_event_id=1", { "last-event-id": last }]
      ] as const) {
        const resumed = yield* Streams.stream(path, headers)
        yield* resumed.until((client) => client.events().length === 2)
        assert.deepStrictEqual(Streams.told(resumed), [
          [id, "IN_PROGRESS"],
          [id, "COMPLETED"]
        ])
        // The state at that time, although it has ended since.
        const [running, ended] = resumed.events().map(({ data }) => data)
        assert.deepEqual(running?.["metrics"], { inference_time: 0, expected_time: 1 })
        assert.deepEqual(ended?.["metrics"], { inference_time: 1.5 })
      }
    })
  )

  it.effect("with named requests ends when all of them have ended, and is then 204", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* accepted(), yield* accepted()]
      yield* Lifecycle.start(first)
      yield* Lifecycle.end(first, failure)
      const path = `/requests/stream?request_id=${first}&request_id=${second}`
      const client = yield* Streams.stream(path)
      yield* client.until((client) => client.events().length === 2)
      yield* call({ path: `/sandbox/echo/requests/${second}/cancel` })
      yield* client.closed
      assert.deepStrictEqual(Streams.told(client), [
        [second, "IN_QUEUE"],
        [first, "FAILED"],
        [second, "CANCELLED"]
      ])
      const [before, , last] = client.events().map(({ id }) => id ?? "")
      const over = yield* call({ path, headers: { "last-event-id": last ?? "" } })
      assert.strictEqual(over.status, 204)
      assert.strictEqual(over.text, "")
      const resumed = yield* Streams.stream(path, { "last-event-id": before ?? "" })
      yield* resumed.closed
      assert.deepStrictEqual(Streams.told(resumed), [
        [first, "IN_PROGRESS"],
        [first, "FAILED"],
        [second, "CANCELLED"]
      ])
    })
  )
})
