import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { AccountId } from "#domain/Ids.ts"
import { type Message, MessageBody } from "#src/edges/mcp/body/MessageBody.ts"
import * as Limits from "#src/edges/mcp/body/MessageLimits.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as Scratch from "#test/support/Scratch.ts"

const services = MessageBody.layer.pipe(Layer.provideMerge(Scratch.layer))

const alice = AccountId.make("acc_alice")
const bob = AccountId.make("acc_bob")

type Chunks = Iterable<string | Uint8Array | Effect.Effect<void>>

/** Sends chunks on demand, with effects as pauses between them; then `whenSent`, and the end. */
const requestOf = (chunks: Chunks, { whenSent = Effect.void }: { whenSent?: Effect.Effect<void> } = {}) => {
  const rest = chunks[Symbol.iterator]()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        let { done, value } = rest.next()
        while (typeof value === "object" && !(value instanceof Uint8Array)) {
          await Effect.runPromise(value)
          ;({ done, value } = rest.next())
        }
        if (done !== true) return controller.enqueue(typeof value === "string" ? Buffer.from(value) : value)
        await Effect.runPromise(whenSent)
        controller.close()
      }
    },
    { highWaterMark: 0 }
  )
  return HttpServerRequest.fromWeb(
    new Request("http://localhost/mcp", { method: "POST", body, duplex: "half" })
  )
}

const read = (chunks: Chunks, options: Parameters<typeof requestOf>[1] & { account?: AccountId } = {}) =>
  Effect.flatMap(MessageBody, (body) => body.read(requestOf(chunks, options), options.account ?? alice))

/** With the fields that identify its tool. */
const upload = (data: string, tool = "upload_file") => [
  `{"jsonrpc":"2.0","id":1,"params":{"arguments":{"data":"`,
  data,
  `"},"name":"${tool}"},"method":"tools/call"}`
]

const textOf = ({ body }: Message) => Buffer.from(body).toString()

const long = "QUJD".repeat(Limits.longText / 4 + 1)

const left = Effect.map(ScratchDirectory, (directory) => fs.readdirSync(directory))

const errorAnswerOf = (chunks: Chunks) =>
  Effect.gen(function* () {
    const { error, status } = yield* Effect.flip(Effect.scoped(read(chunks)))
    assert.deepStrictEqual(yield* left, [], "no file is left")
    return { status, error: String(error) }
  })

describe("MessageBody", () => {
  it.effect("reads a short message unchanged", () =>
    Effect.gen(function* () {
      const text = upload("QUJD").join("")
      const body = yield* MessageBody
      const announced = new Request("http://localhost/mcp", {
        method: "POST",
        body: text,
        headers: { "content-length": String(Buffer.byteLength(text)) }
      })
      const message = yield* body.read(HttpServerRequest.fromWeb(announced), alice)
      assert.deepStrictEqual([textOf(message), message.spooled.size], [text, 0])
      const inChunks = yield* read(["{", '"a":"é"}'])
      assert.deepStrictEqual([textOf(inChunks), inChunks.spooled.size], ['{"a":"é"}', 0])
      assert.deepStrictEqual(yield* left, [])
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("writes long data into a file, unescaped, which is deleted with the scope", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const message = yield* read(upload(`${long}\\/\\u0041`))
          const [[handle, { path, size }] = ["", { path: "", size: 0 }]] = message.spooled
          assert.match(handle, /^spooled:[\w-]{22}$/)
          assert.deepStrictEqual(JSON.parse(textOf(message)).params.arguments, { data: handle })
          assert.strictEqual(fs.readFileSync(path, "utf8"), `${long}/A`)
          assert.strictEqual(size, long.length + 2)
          assert.strictEqual(fs.statSync(path).mode & 0o777, 0o600)
        })
      )
      assert.deepStrictEqual(yield* left, [])
    }).pipe(Effect.provide(services))
  )

  it.effect("gives each message its own handle", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* read(upload(long)), yield* read(upload(long))]
      assert.notDeepEqual([...first.spooled.keys()], [...second.spooled.keys()])
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  for (const [what, chunks, status, error] of [
    ["invalid UTF-8 in long data", [...upload(long).slice(0, 2), Buffer.from([0xc3]), '"}}}'], 400, /UTF-8/],
    ["a control character in long data", upload(`${long}\n`), 400, /JSON/],
    ["an invalid escape in long data", upload(`${long}\\x`), 400, /JSON/],
    ["three million empty lists", [`{"id":[${"[],".repeat(3e6)}`], 413, /20000 members and elements/],
    ["129 levels", ["[".repeat(129)], 400, /128 levels/],
    ["long data given twice", [`{"params":{"arguments":{"data":"${long}","data":"${long}"`], 400, /twice/],
    ["long data of another tool", upload(long, "run_model"), 413, /Only `upload_file`/],
    ["long data of no call", [`{"params":{"arguments":{"data":"${long}"}}}`], 413, /Only `upload_file`/]
  ] as const)
    it.effect(`rejects ${what}, and leaves no file`, () =>
      Effect.gen(function* () {
        const errorAnswer = yield* errorAnswerOf(chunks)
        assert.strictEqual(errorAnswer.status, status)
        assert.match(errorAnswer.error, error)
      }).pipe(Effect.provide(services))
    )

  it.effect("rejects text of more than 10 MiB beside the data, before all of it has arrived", () =>
    Effect.gen(function* () {
      const chunk = Buffer.alloc(256 * 1024, "a")
      let sent = 0
      const endless = function* () {
        yield '{"params":{"arguments":{"input":"'
        while (true) {
          sent += chunk.length
          yield chunk
        }
      }
      assert.strictEqual((yield* errorAnswerOf(endless())).status, 413)
      assert.isBelow(sent, Limits.maxTextBytes + 4 * chunk.length)
    }).pipe(Effect.provide(services))
  )

  it.effect("rejects a body whose announced length is too large, unread", () =>
    Effect.gen(function* () {
      const body = yield* MessageBody
      const request = new Request("http://localhost/mcp", {
        method: "POST",
        body: "{}",
        headers: { "content-length": String(Limits.maxBytes + 1) }
      })
      const errorAnswer = yield* Effect.flip(body.read(HttpServerRequest.fromWeb(request), alice))
      assert.strictEqual(errorAnswer.status, 413)
      assert.match(String(errorAnswer.error), /by `url`/)
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("leaves truncated JSON to its parser", () =>
    Effect.gen(function* () {
      const message = yield* read(upload(long).slice(0, 2))
      assert.throws(() => JSON.parse(textOf(message)))
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("gives up on a short message that never ends", () =>
    Effect.gen(function* () {
      const stalled = yield* Deferred.make<void>()
      const whenSent = Effect.andThen(Deferred.succeed(stalled, undefined), Effect.never)
      const reading = yield* Effect.forkChild(Effect.flip(Effect.scoped(read(["{"], { whenSent }))), {
        startImmediately: true
      })
      yield* Deferred.await(stalled)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(reading)).status, 408)
    }).pipe(Effect.provide(services))
  )

  for (const [what, bytes, seconds] of [
    ["less than a mebibyte", 512 * 1024, 60],
    ["a mebibyte, and nothing in the next", 1024 * 1024, 90]
  ] as const)
    it.effect(`gives up on long data that delivers in 30 seconds ${what}`, () =>
      Effect.gen(function* () {
        const [begun, more, stalled] = yield* Effect.all([
          Deferred.make<void>(),
          Deferred.make<void>(),
          Deferred.make<void>()
        ])
        const pause = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(more))
        const chunks = [...upload(long).slice(0, 2), pause, Buffer.alloc(bytes, "QUJD")]
        const whenSent = Effect.andThen(Deferred.succeed(stalled, undefined), Effect.never)
        const reading = yield* Effect.forkChild(Effect.flip(Effect.scoped(read(chunks, { whenSent }))), {
          startImmediately: true
        })
        yield* Deferred.await(begun)
        // It got its permit within the first 30 s, which do not count.
        yield* TestClock.adjust("45 seconds")
        yield* Deferred.succeed(more, undefined)
        yield* Deferred.await(stalled)
        yield* TestClock.adjust(`${seconds - 46} seconds`)
        assert.isUndefined(reading.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(reading)).status, 408)
        assert.deepStrictEqual(yield* left, [])
      }).pipe(Effect.provide(services))
    )

  it.effect("leaves no file when its reader is interrupted", () =>
    Effect.gen(function* () {
      const stalled = yield* Deferred.make<void>()
      const whenSent = Effect.andThen(Deferred.succeed(stalled, undefined), Effect.never)
      const reading = yield* Effect.forkChild(Effect.scoped(read(upload(long).slice(0, 2), { whenSent })), {
        startImmediately: true
      })
      yield* Deferred.await(stalled)
      assert.lengthOf(yield* left, 1)
      yield* Fiber.interrupt(reading)
      assert.deepStrictEqual(yield* left, [])
    }).pipe(Effect.provide(services))
  )

  it.effect("writes two messages of an account at once, and those of other accounts meanwhile", () =>
    Effect.gen(function* () {
      const first = yield* Scope.make()
      yield* Scope.provide(read(upload(long)), first)
      yield* read(upload(long))
      const third = yield* Effect.forkChild(read(upload(long)), { startImmediately: true })
      yield* read(upload(long), { account: bob })
      yield* read(["{}"])
      assert.isUndefined(third.pollUnsafe())
      // It has waited for most of the client's time.
      yield* TestClock.adjust("29 seconds")
      yield* Scope.close(first, Exit.void)
      assert.lengthOf([...(yield* Fiber.join(third)).spooled], 1)
      const fourth = yield* Effect.forkChild(Effect.flip(read(upload(long))), { startImmediately: true })
      yield* Effect.yieldNow
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(fourth)).status, 503)
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  /** `MESSAGE_BODY_MIB=267` tests the largest possible upload. */
  const mebibytes = Number(process.env["MESSAGE_BODY_MIB"] ?? 24)

  it.effect(`uses less than 8 MiB of memory for ${mebibytes} MiB of data`, () =>
    Effect.gen(function* () {
      const chunk = Buffer.alloc(64 * 1024, "QUJD")
      const count = mebibytes * 16
      const before = process.memoryUsage().arrayBuffers
      let most = 0
      const chunks = function* () {
        const [head = "", , tail = ""] = upload("")
        yield head
        for (let index = 0; index < count; index++) {
          // Only this chunk holds the client's bytes; any other memory is a copy.
          if (index % 32 === 0) most = Math.max(most, process.memoryUsage().arrayBuffers - before)
          yield chunk
        }
        yield tail
      }
      const { spooled } = yield* read(chunks())
      assert.deepStrictEqual(
        [...spooled.values()].map(({ size }) => size),
        [count * chunk.length]
      )
      assert.isBelow(most, 8 * 1024 ** 2)
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
