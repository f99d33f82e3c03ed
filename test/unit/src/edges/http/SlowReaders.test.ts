import { once } from "node:events"
import * as http from "node:http"
import * as net from "node:net"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope as EffectScope } from "effect"
import type { Scope } from "#src/edges/http/edge/Reader.ts"
import { type Pace, takenBy, usualPace } from "#src/edges/http/edge/Reader.ts"
import * as SlowReaders from "#src/edges/http/edge/SlowReaders.ts"
import * as Until from "#test/support/Until.ts"

/** More than the operating system buffers for a connection, beside what the tests read of it. */
const much = Buffer.alloc(32 * 1024 * 1024, "x")
const large = SlowReaders.window

/** The server's sockets, by the client's port. */
type Sockets = Map<number | undefined, net.Socket>

interface Given {
  readonly pace?: Partial<Pace>
  readonly limits?: Partial<Record<Scope, number>>
}

/** A server that answers with `much` if allowed. The path names client, file and bytes: `/client/file/bytes`. */
const serving = ({ limits = {}, pace = {} }: Given = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const told: Array<string> = []
      let outstanding = 0
      const watch = SlowReaders.make({
        pace: { ...usualPace, ...pace },
        limits: { node: 100 * large, client: 100 * large, file: 100 * large, ...limits },
        events: {
          dropped: (why) => void told.push(why),
          refused: (scope) => void told.push(`no room: ${scope}`),
          outstanding: (bytes) => void (outstanding = bytes)
        }
      })
      const server = http.createServer((request, response) => {
        const [, client = "", file, bytes = String(large)] = (request.url ?? "").split("/")
        const wanted: SlowReaders.AnswerRoomRequest = {
          accountId: client,
          address: () => "",
          file: file === "" ? undefined : file,
          bytes: Number(bytes)
        }
        if (watch.admit(response, wanted) !== null) return void response.writeHead(503).end()
        response.end(wanted.bytes > SlowReaders.small ? much : "small")
      })
      watch.observe(server)
      const sockets: Sockets = new Map()
      server.on("connection", (socket) => void sockets.set(socket.remotePort, socket))
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const look = (seconds: number) => {
        for (let second = 0; second < seconds; second++) watch.look(1_000)
      }
      return { look, outstanding: () => outstanding, port, server, sockets, told }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

/** Sends a request and reads only the head of the answer. */
const ask = (port: number, ...paths: ReadonlyArray<string>) => askBy("GET", port, paths)

const askBy = (method: string, port: number, paths: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const socket = net.connect(port, "127.0.0.1")
    socket.on("error", () => {})
    socket.write(
      paths.map((path) => `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`).join("")
    )
    const [head] = (await once(socket, "data")) as [Buffer]
    socket.pause()
    return { socket, status: Number(/^HTTP\/1\.1 (\d+)/.exec(head.toString("latin1"))?.[1]) }
  })

const closed = (socket: net.Socket) =>
  Effect.promise(async () => {
    socket.resume()
    // A reset is an error to other listeners.
    if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve))
  })

/** Reads this many bytes and pauses. The system then takes more from the server, if there is more. */
const read = (socket: net.Socket, bytes: number, { sockets }: { readonly sockets: Sockets }) =>
  Effect.promise(async () => {
    const sent = sockets.get(socket.localPort)
    const before = sent === undefined ? 0 : takenBy(sent)
    await new Promise<void>((resolve) => {
      let received = 0
      const onData = ({ length }: Buffer) => {
        received += length
        if (received < bytes) return
        socket.pause()
        socket.off("data", onData)
        resolve()
      }
      socket.on("data", onData).resume()
    })
    while (sent !== undefined && sent.writableLength > 0 && takenBy(sent) === before) await setImmediate()
  })

/** Waits until the system has taken everything that the server sends on this connection. */
const sentAll = (socket: net.Socket, { sockets }: { readonly sockets: Sockets }) =>
  Until.until(
    "no unsent bytes",
    Effect.sync(() => sockets.get(socket.localPort)?.writableLength ?? 0),
    (bytes) => bytes === 0
  )

const test = (name: string, body: Effect.Effect<void, unknown, EffectScope.Scope>) =>
  it.live(name, () => Effect.scoped(body))

describe("a client that does not read", () => {
  test(
    "is dropped after 30 s, and not before",
    Effect.gen(function* () {
      const server = yield* serving()
      const { look, port, told } = server
      const { socket } = yield* ask(port, "/a")
      look(30)
      assert.deepStrictEqual(told, [])
      look(1)
      assert.deepStrictEqual(told, ["stalled"])
      yield* closed(socket)
    })
  )

  test(
    "is not dropped as long as it reads, however slowly",
    Effect.gen(function* () {
      const server = yield* serving()
      const { look, port, told } = server
      const { socket } = yield* ask(port, "/a")
      for (let round = 0; round < 3; round++) {
        look(25)
        yield* read(socket, 4 * 1024 * 1024, server)
      }
      assert.deepStrictEqual(told, [])
      yield* read(socket, much.length - 12.5 * 1024 * 1024, server)
      yield* sentAll(socket, server)
      look(120)
      assert.deepStrictEqual(told, [])
    })
  )

  test(
    "is not dropped when it has been sent everything",
    Effect.gen(function* () {
      const server = yield* serving()
      const { look, port, told } = server
      yield* ask(port, "/a//10")
      look(120)
      assert.deepStrictEqual(told, [])
    })
  )

  test(
    "is dropped when it reads less than 64 KiB a minute",
    Effect.gen(function* () {
      const server = yield* serving({ pace: { leastBytes: 1024 * much.length } })
      const { look, port, told } = server
      const { socket } = yield* ask(port, "/a")
      for (let round = 0; round < 3; round++) {
        assert.deepStrictEqual(told, [])
        look(20)
        yield* read(socket, 3.5 * 1024 * 1024, server)
      }
      look(20)
      assert.deepStrictEqual(told, ["slow"])
    })
  )
})

describe("room for large answers", () => {
  test(
    "is rejected at the limits per client, per file and in total, and returned at the end",
    Effect.gen(function* () {
      const server = yield* serving({
        limits: { client: 2 * large, file: 3 * large, node: 4 * large }
      })
      const { port, told } = server
      const statuses = (...paths: ReadonlyArray<string>) =>
        Effect.map(
          Effect.forEach(paths, (path) => ask(port, path)),
          (asked) => asked.map(({ status }) => status)
        )
      const first = yield* ask(port, "/a/one")
      assert.deepStrictEqual(yield* statuses("/a/two", "/a/three"), [200, 503])
      assert.deepStrictEqual(yield* statuses("/b/one", "/c/one", "/d/one"), [200, 200, 503])
      assert.deepStrictEqual(yield* statuses("/e/four", "/e//100"), [503, 200])
      assert.deepStrictEqual(told, ["no room: client", "no room: file", "no room: node"])
      yield* read(first.socket, much.length - 64 * 1024, server)
      first.socket.destroy()
      const again: Effect.Effect<number> = Effect.flatMap(ask(port, "/e/four"), ({ status }) =>
        status === 503 ? again : Effect.succeed(status)
      )
      assert.strictEqual(yield* again, 200)
    })
  )

  test(
    "is taken from clients that read nothing, once another one needs it",
    Effect.gen(function* () {
      const server = yield* serving({ limits: { client: 2 * large } })
      const { look, outstanding, port, told } = server
      const first = yield* ask(port, "/a")
      const second = yield* ask(port, "/a")
      look(1)
      assert.strictEqual(outstanding(), 2 * large)
      assert.strictEqual((yield* ask(port, "/a")).status, 503)
      look(3)
      // A client that reads again stays.
      yield* read(second.socket, 6 * 1024 * 1024, server)
      look(1)
      assert.strictEqual((yield* ask(port, "/a")).status, 200)
      assert.deepStrictEqual(told, ["no room: client", "pressed"])
      yield* closed(first.socket)
      assert.isFalse(second.socket.closed)
    })
  )

  test(
    "is not taken from clients that read fast enough",
    Effect.gen(function* () {
      const server = yield* serving({ limits: { client: large } })
      const { look, port, told } = server
      const { socket } = yield* ask(port, "/a")
      for (let second = 0; second < 3; second++) {
        look(2)
        yield* read(socket, 3 * 1024 * 1024, server)
      }
      assert.strictEqual((yield* ask(port, "/a")).status, 503)
      assert.deepStrictEqual(told, ["no room: client"])
    })
  )

  test(
    "counts answers that wait on one connection behind an unread one",
    Effect.gen(function* () {
      const server = yield* serving({ limits: { client: 3 * large } })
      const { look, outstanding, port, told } = server
      const { socket } = yield* ask(port, "/a", "/a", "/a", "/a//1000")
      look(4)
      assert.strictEqual(outstanding(), 3 * large + 1_000)
      assert.deepStrictEqual(told, [])
      assert.strictEqual((yield* ask(port, "/a")).status, 200)
      yield* closed(socket)
      assert.deepStrictEqual(told, ["pressed"])
    })
  )

  test(
    "is not required for the answer to a POST",
    Effect.gen(function* () {
      const { look, outstanding, port, told } = yield* serving({ limits: { client: large, node: 2 * large } })
      const clients = yield* Effect.forEach(["/a", "/a", "/a"], (path) => askBy("POST", port, [path]))
      assert.deepStrictEqual(
        clients.map(({ status }) => status),
        [200, 200, 200]
      )
      look(3)
      assert.strictEqual(outstanding(), 3 * large)
      // It counts nonetheless, so that the total stays within the limit.
      look(1)
      assert.deepStrictEqual(told, ["pressed"])
      assert.strictEqual(outstanding(), 2 * large)
    })
  )

  test(
    "is taken from clients that read next to nothing",
    Effect.gen(function* () {
      const server = yield* serving({ limits: { client: large }, pace: { pressedRate: 1024 * much.length } })
      const { socket } = yield* ask(server.port, "/a")
      for (let second = 0; second < 3; second++) {
        server.look(2)
        yield* read(socket, 3 * 1024 * 1024, server)
      }
      server.look(1)
      assert.strictEqual((yield* ask(server.port, "/a")).status, 200)
      assert.deepStrictEqual(server.told, ["pressed"])
      yield* closed(socket)
    })
  )
})
