import { once } from "node:events"
import * as http from "node:http"
import * as net from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { NetAddress } from "effect/net"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as SlowReaders from "#src/http/edge/SlowReaders.ts"
import { Refusal } from "#src/http/Refusal.ts"

const chunk = Buffer.alloc(256 * 1024)
const body = Stream.forever(Stream.succeed(chunk))

/** A server of endless answers, and its port. */
const serve = Effect.fnUntraced(function* (options: SlowReaders.SlowReadersOptions) {
  const readers = SlowReaders.make(options)
  yield* HttpServer.serveEffect(
    Effect.gen(function* () {
      const request = yield* HttpServerRequest
      yield* readers.admit(request)
      return HttpServerResponse.stream(readers.counted(body))
    }).pipe(Effect.catch(({ status }) => Effect.succeed(HttpServerResponse.empty({ status }))))
  )
  const { address } = yield* HttpServer.HttpServer
  return NetAddress.isInetAddress(address) ? address.port : 0
})

/** Asks, and reads the head of the answer only. */
const ask = (port: number) =>
  Effect.promise(async () => {
    const socket = net.connect(port, "127.0.0.1")
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    const [head] = await once(socket, "data")
    socket.pause()
    return { socket, status: Number(/^HTTP\/1\.1 (\d+)/.exec(String(head))?.[1]) }
  })

const closed = (socket: net.Socket) =>
  Effect.promise(async () => {
    socket.on("error", () => {})
    socket.resume()
    if (!socket.closed) await once(socket, "close")
  })

const full = new Refusal({ status: 503, error: "Full." })

const layer = NodeHttpServer.layer(() => http.createServer(), { port: 0, host: "127.0.0.1" })

describe("SlowReaders", () => {
  it.live("takes so many at once, and the next one when one is gone", () =>
    Effect.gen(function* () {
      const port = yield* serve({ longestPause: 60_000, most: 2, full })
      const [first, second] = [yield* ask(port), yield* ask(port)]
      assert.deepStrictEqual([first.status, second.status], [200, 200])
      const third = yield* ask(port)
      assert.strictEqual(third.status, 503)
      third.socket.destroy()
      first.socket.destroy()
      // As soon as the server has seen it.
      const again: Effect.Effect<number> = Effect.flatMap(ask(port), ({ socket, status }) => {
        socket.destroy()
        return status === 503 ? again : Effect.succeed(status)
      })
      assert.strictEqual(yield* again, 200)
      second.socket.destroy()
    }).pipe(Effect.provide(layer), Effect.scoped)
  )

  it.live("ends the connection of one that reads nothing any more", () =>
    Effect.gen(function* () {
      const port = yield* serve({ longestPause: 100, most: 1, full })
      const { socket } = yield* ask(port)
      // The place is free when the server has let go of it, though the client never said a word.
      const next: Effect.Effect<net.Socket> = Effect.flatMap(ask(port), ({ socket, status }) =>
        status === 503
          ? Effect.andThen(
              Effect.sync(() => socket.destroy()),
              next
            )
          : Effect.succeed(socket)
      )
      const other = yield* next
      other.destroy()
      yield* closed(socket)
    }).pipe(Effect.provide(layer), Effect.scoped)
  )
})
