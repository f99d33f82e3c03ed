/** Bodies that break off on a connection that is still writable: the server does not wait for the rest. */
import * as fs from "node:fs"
import * as http from "node:http"
import * as net from "node:net"
import * as path from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as BrokenBody from "#src/edges/http/edge/ClientErrors.ts"
import * as IncomingBody from "#src/edges/server/IncomingBody.ts"
import { FileBlobs } from "#streams/FileBlobs.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as FileCalls from "#test/support/src/edges/http/FileCalls.ts"

const soon = Effect.timeout("8 seconds")

interface Broken {
  readonly what: string
  readonly headers: string
  readonly sent: string
  /** Whether the client then ends its side of the connection, as a killed client does. */
  readonly isEnded: boolean
  /** What it sends repeatedly, whatever the answer. */
  readonly drip?: string
}

const chunked = "Transfer-Encoding: chunked\r\n"

const bodies: ReadonlyArray<Broken> = [
  { what: "ends before its length", headers: "Content-Length: 10\r\n", sent: "hello", isEnded: true },
  { what: "ends before it begins", headers: "Content-Length: 10\r\n", sent: "", isEnded: true },
  { what: "ends in a chunk", headers: chunked, sent: "5\r\nhel", isEnded: true },
  { what: "ends between chunks", headers: chunked, sent: "3\r\nabc\r\n", isEnded: true },
  { what: "has a chunk that is none", headers: chunked, sent: "3\r\nabc\r\nzz\r\n", isEnded: false },
  {
    what: "has a chunk that is none, and goes on",
    headers: chunked,
    sent: "3\r\nabc\r\nzz\r\n",
    isEnded: false,
    drip: "x".repeat(1_000)
  }
]

/** Everything received until the connection ended. It must end without a reset, which may discard the answer. */
const answerTo = (head: string, { drip, headers, isEnded, sent }: Broken) =>
  Effect.flatMap(TestServer.TestServer, ({ port }) =>
    Effect.callback<string>((resume) => {
      const chunks: Array<Buffer> = []
      const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true })
      socket.on("data", (chunk) => chunks.push(chunk))
      socket.on("error", (error) => resume(Effect.die(error)))
      socket.on("close", () => resume(Effect.succeed(Buffer.concat(chunks).toString("latin1"))))
      socket.on("end", () => socket.end())
      const goOn = () => {
        if (drip !== undefined && socket.writable) socket.write(drip, () => setImmediate(goOn))
      }
      socket.write(`${head}Host: x\r\n${headers}\r\n${sent}`, () => (isEnded ? socket.end() : goOn()))
      return Effect.sync(() => socket.destroy())
    })
  )

const assertBrokenOff = (answer: string): void => {
  const [head = "", body = ""] = answer.split("\r\n\r\n")
  assert.match(head, /^HTTP\/1\.1 400 /)
  assert.match(head, /^connection: close\r$/im)
  assert.match(body, /body (broke off|could not be read)/)
  assert.lengthOf(answer.match(/HTTP\/1\.1/g) ?? [], 1)
}

const putTo = (url: string): string => {
  const { pathname, search } = new URL(url)
  return `PUT ${pathname}${search} HTTP/1.1\r\nContent-Type: image/png\r\n`
}

const underWay = Effect.map(FileBlobs, ({ newPath }) => fs.readdirSync(path.dirname(newPath())))

/** As many as an account may upload at once. */
const placesOfOne = 32

layer(TestServer.layer(), { excludeTestServices: true })("a body that", (it) => {
  for (const broken of bodies) {
    it.effect(`${broken.what} is answered at once, and none of it is stored`, () =>
      Effect.gen(function* () {
        const { file_url, upload_url } = yield* FileCalls.initiate()
        assertBrokenOff(yield* soon(answerTo(putTo(upload_url), broken)))
        assert.deepStrictEqual(yield* underWay, [])
        assert.strictEqual((yield* FileCalls.get(file_url)).status, 404)
        assert.strictEqual((yield* FileCalls.put(upload_url, "x")).status, 200)
      })
    )

    it.effect.each([
      ["the fast path", "/sandbox/echo"],
      ["a declared route", "/storage/upload/initiate"]
    ])(`${broken.what} is rejected as invalid JSON by %s`, ([, route]) =>
      Effect.gen(function* () {
        const { key } = yield* TestServer.TestServer
        const head = `POST ${route} HTTP/1.1\r\nAuthorization: ${key}\r\nContent-Type: application/json\r\n`
        assertBrokenOff(yield* soon(answerTo(head, broken)))
      })
    )
  }

  it.effect("breaks off occupies no slot", () =>
    Effect.gen(function* () {
      const { upload_url } = yield* FileCalls.initiate()
      const putAll = Effect.forEach(bodies, (broken) => answerTo(putTo(upload_url), broken), {
        concurrency: "unbounded"
      })
      yield* soon(
        Effect.all(
          Array.from({ length: placesOfOne }, () => putAll),
          { concurrency: "unbounded" }
        )
      )
      assert.strictEqual((yield* soon(FileCalls.put(upload_url, "x"))).status, 200)
    })
  )
})

describe("a body that breaks off before it is read", () => {
  it.live("is not awaited, and its connection stays writable", () =>
    Effect.gen(function* () {
      const socket = new net.Socket()
      const request = new http.IncomingMessage(socket)
      BrokenBody.breakOff(request)
      yield* Effect.promise(() => new Promise((resolve) => request.once("close", resolve)))
      const errorAnswer = yield* soon(Effect.flip(IncomingBody.read(request, () => null)))
      assert.deepInclude(errorAnswer, { status: 400 })
      assert.isFalse(socket.destroyed)
    })
  )
})
