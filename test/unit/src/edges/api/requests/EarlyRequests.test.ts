/** The port is bound before the routes exist; requests that arrive in between wait. */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as FrontedServer from "#src/edges/http/edge/FrontedServer.ts"
import * as Http from "#src/edges/server/HttpServer.ts"
import { send } from "#test/support/HttpProbe.ts"

const listening = Effect.acquireRelease(
  Effect.promise(async () => {
    const { server } = FrontedServer.make(Http.limits, {
      onClose: () => {},
      refuseLate: (_, response) => response.writeHead(503, { connection: "close" }).end(),
      refusePipelined: (_, response) => response.writeHead(429).end(),
      refuseFault:
        ({ status }) =>
        (_, response) =>
          response.writeHead(status).end()
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return server
  }),
  (server) => Effect.sync(() => (server.close(), server.closeAllConnections()))
)

describe("A request that arrives before the server is ready", () => {
  it.live("is answered once the server is ready", () =>
    Effect.gen(function* () {
      const server = yield* listening
      const { port } = server.address() as AddressInfo
      const early = yield* Effect.forkChild(send(port, { path: "/health" }))
      yield* Effect.promise(() => once(server, "connection"))
      // Its answer shows that the server has seen the first request.
      assert.strictEqual((yield* send(port, { path: "/;x" })).status, 404)
      server.on("request", (_, response) => response.writeHead(204).end())
      assert.strictEqual((yield* Fiber.join(early)).status, 204)
      assert.strictEqual((yield* send(port, { path: "/health" })).status, 204)
    }).pipe(Effect.scoped)
  )

  it.live("is rejected if the server closes instead", () =>
    Effect.gen(function* () {
      const server = yield* listening
      const { port } = server.address() as AddressInfo
      const early = yield* Effect.forkChild(send(port, { path: "/health" }))
      yield* Effect.promise(() => once(server, "connection"))
      assert.strictEqual((yield* send(port, { path: "/;x" })).status, 404)
      server.close()
      assert.strictEqual((yield* Fiber.join(early)).status, 503)
    }).pipe(Effect.scoped)
  )
})
