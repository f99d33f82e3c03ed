import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Random, Ref } from "effect"
import * as fc from "fast-check"
import { Buffer } from "node:buffer"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import type { OutboundPost } from "#src/kernel/outbound/Posting.ts"
import * as Environment from "#test/support/Environment.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

const authorities = [Receiver.authority]
const urlOf = ({ port }: Receiver.Receiver, path = "/") => `https://receiver.example.com:${port}${path}`

const send = (url: string, options?: Partial<OutboundPost>) =>
  Effect.flatMap(Outbound, (outbound) =>
    outbound.post({
      url,
      headers: {},
      body: Buffer.from("{}"),
      timeout: Duration.seconds(5),
      ...options
    })
  )

const guarded = (options: OutboundGuard.GuardOptions = {}) =>
  Effect.provide(OutboundGuard.layer({ authorities, ...options }))

describe("Outbound.post", () => {
  it.live("posts the exact bytes and headers to the path, and returns the status", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const receiver = yield* Receiver.https((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk) => chunks.push(chunk))
        request.on("end", () => {
          const { host, connection, "webhook-id": id } = request.headers
          seen.push(request.method, request.url, host, connection, id, Buffer.concat(chunks).toString("hex"))
          response.writeHead(202).end("accepted")
        })
      })
      const response = yield* send(urlOf(receiver, "/hook?x=%20y#z"), {
        headers: { "webhook-id": "msg_1" },
        body: Uint8Array.of(0, 255, 13, 10)
      })
      const host = `receiver.example.com:${receiver.port}`
      assert.deepStrictEqual(seen, ["POST", "/hook?x=%20y", host, "keep-alive", "msg_1", "00ff0d0a"])
      assert.deepInclude(response, { status: 202, body: Buffer.from("accepted"), received: 8 })
    }).pipe(guarded())
  )

  it.live.each([
    ["http", Receiver.http],
    ["https", Receiver.https]
  ] as const)("ignores proxies in the environment for %s", ([scheme, receive]) =>
    Effect.gen(function* () {
      const canary = yield* Receiver.silent()
      const receiver = yield* receive((_request, response) => response.end())
      const proxy = `http://127.0.0.1:${canary.port}`
      const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
      yield* Environment.use(Object.fromEntries(names.map((name) => [name, proxy])))
      const { status } = yield* send(`${scheme}://receiver.example.com:${receiver.port}/`).pipe(
        guarded({ settings: { ALLOW_PRIVATE_TARGETS: "true" } })
      )
      assert.deepStrictEqual([status, canary.connections(), receiver.connections()], [200, 0, 1])
    })
  )

  it.live("rejects the service's own listener by its address and by any name", () =>
    Effect.gen(function* () {
      const own = yield* Receiver.silent()
      const listeners = [{ address: "127.0.0.1", port: own.port }]
      for (const host of ["127.0.0.1", "[::ffff:127.0.0.1]", "receiver.example.com", "localhost"]) {
        const error = yield* Effect.flip(send(`https://${host}:${own.port}/`)).pipe(
          guarded({ listeners, settings: { ALLOW_PRIVATE_TARGETS: "true" } })
        )
        assert.deepInclude(error, { _tag: "OutboundRefused", reason: "private_address" }, host)
      }
      assert.strictEqual(own.connections(), 0)
    })
  )

  it.live("accepts a body that ends with the connection", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.tls((socket) =>
        socket.once("data", () => socket.end("HTTP/1.0 200 OK\r\n\r\naccepted"))
      )
      assert.strictEqual((yield* send(urlOf(receiver))).status, 200)
      yield* receiver.closed
    }).pipe(guarded())
  )

  it.live("reads 64 KiB of a body, and closes the connection when there is more", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.https((request, response) => {
        const size = Number(request.url?.slice(1))
        response.write(Buffer.alloc(size - 1))
        response.end("x")
      })
      assert.strictEqual((yield* send(urlOf(receiver, "/65536"))).status, 200)
      assert.strictEqual((yield* send(urlOf(receiver, "/65537"))).status, 200)
      yield* receiver.closed
      assert.strictEqual((yield* send(urlOf(receiver, "/1"))).status, 200)
      assert.strictEqual(receiver.connections(), 2)
    }).pipe(guarded())
  )

  it.live("tries the next vetted address when the first is dead", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.https((_request, response) => response.end())
      assert.strictEqual((yield* send(urlOf(receiver))).status, 200)
    }).pipe(
      guarded({
        admitted: ["127.0.0.1", "127.0.0.3"],
        resolve: () => Effect.succeed(["127.0.0.3", "127.0.0.1"])
      })
    )
  )

  it.live("accepts an address literal whose certificate contains it", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.https((_request, response) => response.end())
      assert.strictEqual((yield* send(`https://127.0.0.1:${receiver.port}/`)).status, 200)
    }).pipe(guarded())
  )

  it.live("reaches plain http and local names where private targets are allowed", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.http((_request, response) => response.end())
      assert.strictEqual((yield* send(`http://localhost:${receiver.port}/`)).status, 200)
    }).pipe(guarded({ admitted: [], settings: { ALLOW_PRIVATE_TARGETS: "true" } }))
  )

  it.live("connects to the vetted answer, whatever a second look-up returns", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.https((_request, response) => response.end())
      const canary = yield* Receiver.silent({ host: "127.0.0.2", port: receiver.port })
      const lookups = yield* Ref.make(0)
      const resolve = () =>
        Effect.map(
          Ref.getAndUpdate(lookups, (count) => count + 1),
          (count) => (count === 0 ? ["127.0.0.1"] : ["127.0.0.2"])
        )
      yield* send(urlOf(receiver)).pipe(guarded({ resolve }))
      assert.strictEqual(yield* Ref.get(lookups), 1)
      assert.strictEqual(receiver.connections(), 1)
      assert.strictEqual(canary.connections(), 0)
    })
  )

  it.live("rejects a name that becomes private after its check", () =>
    Effect.gen(function* () {
      const canary = yield* Receiver.silent()
      const lookups = yield* Ref.make(0)
      const resolve = () =>
        Effect.map(
          Ref.getAndUpdate(lookups, (count) => count + 1),
          (count) => (count === 0 ? ["93.184.216.34"] : ["127.0.0.1"])
        )
      yield* Effect.gen(function* () {
        const outbound = yield* Outbound
        yield* outbound.check(urlOf(canary))
        const error = yield* Effect.flip(send(urlOf(canary)))
        assert.deepInclude(error, { _tag: "OutboundRefused", reason: "private_address" })
      }).pipe(guarded({ admitted: [], resolve }))
      assert.strictEqual(canary.connections(), 0)
    })
  )

  it.live("never connects to an internal canary over 1,000 mixed answers", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.silent()
      const canary = yield* Receiver.silent({ host: "127.0.0.2", port: receiver.port })
      const mixed = fc
        .tuple(fc.subarray(["127.0.0.1", "93.184.216.34", "2606:4700::1111"]), fc.nat(3))
        .map(([allowed, at]) => [...allowed.slice(0, at), "127.0.0.2", ...allowed.slice(at)])
      const seed = yield* Random.nextInt
      const answers = fc.sample(mixed, { numRuns: 1_000, seed })
      const results = yield* Effect.forEach(
        answers,
        (answer) => Effect.flip(send(urlOf(canary))).pipe(guarded({ resolve: () => Effect.succeed(answer) })),
        { concurrency: 16 }
      )
      assert.isTrue(
        results.every((error) => error.reason === "private_address"),
        `seed ${seed}`
      )
      assert.strictEqual(canary.connections() + receiver.connections(), 0)
    })
  )
})
