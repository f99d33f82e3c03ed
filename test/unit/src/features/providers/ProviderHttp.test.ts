import type * as Http from "node:http"
import * as zlib from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Fiber, Layer, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import { ProviderHttp } from "#src/features/providers/ProviderHttp.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

const layer = (environment: Readonly<Record<string, string>> = {}) =>
  ProviderHttp.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment))))

type Respond = (request: Http.IncomingMessage, response: Http.ServerResponse) => void

const serve = (respond: Respond) =>
  Effect.map(Receiver.http(respond), (receiver) => ({
    ...receiver,
    url: `http://127.0.0.1:${receiver.port}/v1?q=1`
  }))

const answering = (status: number, body: string, headers: Http.OutgoingHttpHeaders = {}) =>
  serve((_request, response) => void response.writeHead(status, headers).end(body))

const get = (url: string, rest: { readonly timeoutMs?: number; readonly maxBytes?: number } = {}) =>
  Effect.flatMap(ProviderHttp, (http) => http.call({ method: "GET", url, ...rest }))

const reasonOf = <A, E extends { readonly reason: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

describe("ProviderHttp", () => {
  it.live("sends JSON, and reads the answer", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const { url } = yield* serve((request, response) => {
        void request.toArray().then((chunks) => {
          const { headers, method, url } = request
          const { accept, "content-type": type, "user-agent": agent, "x-key": key } = headers
          seen.push(method, url, Buffer.concat(chunks).toString(), { accept, agent, key, type })
          response.writeHead(201, { "X-Left": "3" }).end('{"a":1}')
        })
      })
      const http = yield* ProviderHttp
      const answer = yield* http.call({ method: "PUT", url, headers: { "x-key": "k" }, body: { b: 2 } })
      assert.deepStrictEqual(seen, [
        "PUT",
        "/v1?q=1",
        '{"b":2}',
        { accept: "application/json", agent: "inferlog", key: "k", type: "application/json" }
      ])
      assert.deepInclude(answer, { status: 201, json: { a: 1 } })
      assert.strictEqual(answer.headers["x-left"], "3")
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("reuses connections", () =>
    Effect.gen(function* () {
      const { connections, url } = yield* answering(200, "{}")
      yield* Effect.repeat(get(url), { times: 9 })
      // The connection of the previous call is free a moment later.
      assert.isAtMost(connections(), 2)
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("follows no redirect", () =>
    Effect.gen(function* () {
      const other = yield* answering(200, "{}")
      const { url } = yield* answering(307, "", { location: other.url })
      assert.strictEqual((yield* get(url)).status, 307)
      assert.strictEqual(other.connections(), 0)
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live.each([
    ["gzip", zlib.gzipSync],
    ["x-gzip", zlib.gzipSync],
    ["deflate", zlib.deflateSync],
    ["deflate", zlib.deflateRawSync],
    ["br", zlib.brotliCompressSync],
    ["zstd", zlib.zstdCompressSync],
    ["Identity, GZIP", zlib.gzipSync]
  ] as const)("decodes an answer in %s that was not asked for", ([coding, compress]) =>
    Effect.gen(function* () {
      const { url } = yield* serve((_request, response) => {
        const body = compress('{"a":1}')
        response.writeHead(200, { "content-encoding": coding }).write(body.subarray(0, 3))
        response.end(body.subarray(3))
      })
      const answer = yield* get(url)
      assert.deepInclude(answer, { status: 200, json: { a: 1 }, fault: null })
      assert.notProperty(answer.headers, "content-encoding")
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("ends an answer that grows beyond its limit when it is decoded", () =>
    Effect.gen(function* () {
      const { url } = yield* serve((_request, response) => {
        response.writeHead(200, { "content-encoding": "gzip" }).end(zlib.gzipSync("0".repeat(1_000_000)))
      })
      assert.strictEqual(yield* reasonOf(get(url, { maxBytes: 10_000 })), "too_large")
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("returns no answer for one that cannot be decoded, and reads one without a body", () =>
    Effect.gen(function* () {
      const broken = yield* answering(200, "{}", { "content-encoding": "gzip" })
      assert.strictEqual(yield* reasonOf(get(broken.url)), "undecodable")
      const cut = yield* serve((_request, response) => {
        response.writeHead(200, { "content-encoding": "gzip" }).end(zlib.gzipSync('{"a":1}').subarray(0, 15))
      })
      assert.strictEqual(yield* reasonOf(get(cut.url)), "undecodable")
      const empty = yield* answering(404, "", { "content-encoding": "gzip" })
      assert.strictEqual((yield* get(empty.url)).status, 404)
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("names a coding that it does not know", () =>
    Effect.gen(function* () {
      const { url } = yield* answering(200, "{}x", { "content-encoding": "compress" })
      assert.strictEqual((yield* get(url)).fault, "encoded as compress, which is not supported")
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live.each([
    ["no JSON", "<html>"],
    ["nothing", ""],
    ["more levels than can be stored", "[".repeat(200) + "]".repeat(200)],
    ["a number that is out of range", "1e999"]
  ] as const)("returns no value for a body with %s", ([, body]) =>
    Effect.gen(function* () {
      const { url } = yield* answering(200, body)
      const answer = yield* get(url)
      assert.deepInclude(answer, { status: 200 })
      assert.isUndefined(answer.json)
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("reads up to its limit, whether the length is announced or not", () =>
    Effect.gen(function* () {
      const announced = yield* answering(200, "x".repeat(20), { "content-length": "20" })
      const streamed = yield* serve((_request, response) => {
        response.write("x".repeat(6))
        response.write("x".repeat(6))
      })
      assert.strictEqual(yield* reasonOf(get(announced.url, { maxBytes: 10 })), "too_large")
      assert.strictEqual(yield* reasonOf(get(streamed.url, { maxBytes: 10 })), "too_large")
      yield* streamed.closed
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("reports why there was no answer", () =>
    Effect.gen(function* () {
      const cut = yield* serve((_request, response) => void response.destroy())
      const halved = yield* serve((_request, response) => {
        response.writeHead(200, { "content-length": "10" })
        response.write("{")
        setImmediate(() => response.destroy())
      })
      const untrusted = yield* Receiver.https((_request, response) => void response.end())
      assert.strictEqual(yield* reasonOf(get(cut.url)), "connection_lost")
      assert.strictEqual(yield* reasonOf(get(halved.url)), "connection_lost")
      assert.strictEqual(yield* reasonOf(get(`https://127.0.0.1:${untrusted.port}/`)), "tls_error")
      assert.strictEqual(yield* reasonOf(get("http://127.0.0.1:1/")), "connection_refused")
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.effect("applies one deadline to a whole answer that drips", () =>
    Effect.gen(function* () {
      const { closed, until, open, url } = yield* serve((_request, response) => void response.write("["))
      const call = yield* Effect.forkChild(reasonOf(get(url, { timeoutMs: 5_000 })))
      yield* until(() => open() === 1)
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(call), "timeout")
      yield* closed
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("closes the connection of a call that is interrupted", () =>
    Effect.gen(function* () {
      const { closed, open, until, url } = yield* serve(() => {})
      const call = yield* Effect.forkChild(get(url))
      yield* until(() => open() === 1)
      yield* Fiber.interrupt(call)
      yield* closed
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("rejects a header value that contains another header", () =>
    Effect.gen(function* () {
      const { connections, url } = yield* answering(200, "{}")
      const http = yield* ProviderHttp
      const exit = yield* Effect.exit(http.call({ method: "GET", url, headers: { "x-key": "a\r\nx: b" } }))
      assert.isTrue(Exit.hasDies(exit))
      assert.notInclude(JSON.stringify(exit), "x: b")
      assert.strictEqual(connections(), 0)
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  const bound = (secretEnv?: string): ProviderBinding => ({
    name: "box",
    adapter: "http",
    ...(secretEnv !== undefined && { secretEnv })
  })

  it.effect("reads secrets from the environment, and logs a missing one once", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return Effect.gen(function* () {
      const http = yield* ProviderHttp
      const found = yield* http.secret(bound("GOOD"))
      assert.strictEqual(found === null ? null : Redacted.value(found), "k1")
      assert.notInclude(`${String(found)}${JSON.stringify(found)}`, "k1")
      assert.isNull(yield* http.secret(bound()))
      for (const name of ["NONE", "NONE", "EMPTY", "BROKEN"]) assert.isNull(yield* http.secret(bound(name)))
      assert.lengthOf(lines, 3)
      for (const [index, name] of ["NONE", "EMPTY", "BROKEN"].entries()) assert.include(lines[index], name)
      assert.notInclude(lines.join(), "k2")
    }).pipe(
      Effect.provide(layer({ GOOD: "k1\n", EMPTY: " ", BROKEN: "k2\r\nx: y" })),
      Effect.provide(Logger.layer([logger]))
    )
  })
})
