/** The valid forms of a message; an invalid one has no effect. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Queue } from "effect"
import type * as HttpProbe from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as ToolClient from "#test/support/src/edges/mcp/ToolClient.ts"
import * as ToolServer from "#test/support/src/edges/mcp/ToolServer.ts"

const ping = { jsonrpc: "2.0", id: 9, method: "ping" }
const called = ToolClient.toolCall(1, "hold", { name: "called" })
const { id: _id, ...uncounted } = ToolClient.toolCall(0, "hold", { name: "uncounted" })

/** A server, and the headers of a session of the version. */
const open = Effect.fnUntraced(function* (version = "2025-11-25") {
  const { key } = yield* TestServer.TestServer
  const server = yield* ToolServer.start
  const bearer = ToolServer.bearerOf(key)
  const opened = yield* ToolClient.post(server.port, ToolClient.initialize(version), bearer)
  const headers = { ...bearer, "mcp-session-id": String(opened.headers["mcp-session-id"]) }
  return { ...server, post: (message: unknown) => ToolClient.post(server.port, message, headers), headers }
})

const assertMalformed = (reply: HttpProbe.Reply, reason: RegExp, id: unknown = null) => {
  const { json, status, text } = reply
  assert.strictEqual(status, 400, text)
  assert.deepStrictEqual({ ...Object(json), error: null }, { jsonrpc: "2.0", id, error: null })
  assert.hasAllKeys(Object(json).error, ["code", "message"])
  assert.strictEqual(Object(json).error.code, -32600, text)
  assert.match(Object(json).error.message, reason)
}

const versions = ["2025-11-25", "2025-03-26"]

layer(ToolServer.layer)("the tool server", (it) => {
  it.effect("runs no call without an id, alone or in a batch", () =>
    Effect.gen(function* () {
      const { hands, headers, port, post } = yield* open("2025-03-26")
      const missing = /^tools\/call is a request: it has an id, a text or a whole number/
      for (const id of [undefined, null, true, {}, [1], 1.5, 2 ** 53, -(2 ** 53), 1e300]) {
        assertMalformed(yield* post({ ...uncounted, id }), missing)
        const batch = [
          { ...called, id: "in the batch" },
          { ...uncounted, id }
        ]
        assertMalformed(yield* post(batch), /^Message 2 of the batch: tools\/call is a request/)
      }
      assertMalformed(yield* post(Array.from({ length: 20 }, () => uncounted)), /^Message 1 of the batch/)
      // With `discard`, it would be answered before it is done.
      assertMalformed(yield* post({ ...called, discard: true }), /no members but `jsonrpc`/, 1)
      yield* ToolClient.begin(port, called, headers)
      assert.strictEqual(yield* Queue.take(hands.begun), "called")
      assert.strictEqual(yield* Queue.size(hands.begun), 0)
      yield* Deferred.succeed(hands.release, undefined)
    })
  )

  it.effect("does not repeat the name of an unknown method", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const { text } = yield* post({ jsonrpc: "2.0", method: "SECRET" })
      assert.include(text, "A message not named notifications/… is a request")
      assert.notInclude(text, "SECRET")
    })
  )

  it.effect("returns ids unchanged", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      for (const id of [0, -1, "", "1", Number.MAX_SAFE_INTEGER]) {
        const reply = yield* post({ ...ping, id })
        assert.strictEqual(reply.status, 200, reply.text)
        assert.strictEqual(Object(reply.json).id, id)
      }
    })
  )

  it.effect("reports why a message is invalid, in every version", () =>
    Effect.gen(function* () {
      for (const version of versions) {
        const { post } = yield* open(version)
        for (const [message, reason, id] of [
          ["x", /"jsonrpc": "2.0"/],
          [5, /"jsonrpc": "2.0"/],
          [null, /"jsonrpc": "2.0"/],
          [{}, /"jsonrpc": "2.0"/],
          [{ ...ping, jsonrpc: "1.0" }, /"jsonrpc": "2.0"/, 9],
          [{ jsonrpc: "2.0", id: 1 }, /has a `method`, or is an answer/, 1],
          [{ jsonrpc: "2.0", id: 1, result: {}, error: {} }, /either `result` or `error`/, 1],
          [{ jsonrpc: "2.0", result: {} }, /either `result` or `error`/],
          [{ jsonrpc: "2.0", id: 1, chunk: true, result: [] }, /An answer has no members but/, 1],
          [{ ...ping, method: 5 }, /`method` is a text/, 9],
          [{ jsonrpc: "2.0", id: null, method: "notifications/initialized" }, /notification has no id/],
          [[], /at least one message/],
          [[1, "x", null], /^Message 1 of the batch: .*"jsonrpc": "2.0"/],
          [[ping, 5], /^Message 2 of the batch: .*"jsonrpc": "2.0"/],
          [[[ping]], /^Message 1 of the batch: .*"jsonrpc": "2.0"/],
          [[ping, ping], /Two requests of the batch have the same id/],
          [[ToolClient.initialize()], /initialize comes alone/],
          [Array.from({ length: 21 }, (_, id) => ({ ...ping, id })), /at most 20 messages/]
        ] as const) {
          assertMalformed(yield* post(message), reason, id)
        }
      }
    })
  )

  it.effect("accepts answers of clients, and distinguishes a number from its text as ids", () =>
    Effect.gen(function* () {
      const { post } = yield* open("2025-03-26")
      for (const answer of [
        { jsonrpc: "2.0", id: 1, result: {} },
        { jsonrpc: "2.0", id: "1", error: { code: -32601, message: "No." } },
        { jsonrpc: "2.0", id: null, error: { code: -32700, message: "What?" } }
      ]) {
        assert.strictEqual((yield* post(answer)).status, 202)
        assert.strictEqual((yield* post([answer, answer])).status, 202)
      }
      const { json } = yield* post([ping, { ...ping, id: "9" }])
      assert.sameMembers(
        Object(json).map(({ id }: { id: unknown }) => id),
        [9, "9"]
      )
    })
  )

  it.effect("reports that a version has no batches", () =>
    Effect.gen(function* () {
      for (const version of ["2025-11-25", "2025-06-18"]) {
        const { post } = yield* open(version)
        assertMalformed(yield* post([ping, { ...ping, id: 10 }]), /has no batches.*one message at a time/)
      }
    })
  )
})
