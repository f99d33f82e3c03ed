/** Requests that arrive in one turn of the event loop are served at its end. */
import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { setImmediate as endOfTurn } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FrontedServer from "#src/edges/http/edge/FrontedServer.ts"
import * as Turn from "#src/edges/http/edge/Turn.ts"
import * as Http from "#src/edges/server/HttpServer.ts"
import { send } from "#test/support/HttpProbe.ts"

describe("A turn", () => {
  it("is served at its end, in order", async () => {
    const served: Array<number> = []
    const arrive = Turn.make<number>((one) => void served.push(one))
    arrive(1)
    await Promise.resolve()
    arrive(2)
    assert.deepStrictEqual(served, [])
    await endOfTurn()
    assert.deepStrictEqual(served, [1, 2])
  })

  it("leaves what arrives while it is served to the next one", async () => {
    const served: Array<number> = []
    const arrive = Turn.make<number>((one) => {
      served.push(one)
      if (one === 1) arrive(2)
    })
    arrive(1)
    await endOfTurn()
    assert.deepStrictEqual(served, [1])
    await endOfTurn()
    assert.deepStrictEqual(served, [1, 2])
  })
})

const closing = {
  onClose: () => {},
  refuseLate: () => {},
  refusePipelined: () => {},
  refuseFault: () => () => {}
}

const listening = Effect.acquireRelease(
  Effect.promise(async () => {
    const fronted = FrontedServer.make(Http.limits, closing)
    fronted.server.listen(0, "127.0.0.1")
    await once(fronted.server, "listening")
    return fronted
  }),
  ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
)

describe("A server's front", () => {
  it.live("is offered a request when its small body has arrived", () =>
    Effect.gen(function* () {
      const { front, server } = yield* listening
      const offered: Array<IncomingMessage["complete"]> = []
      yield* front.place((request, response) => {
        offered.push(request.complete)
        response.writeHead(204).end()
        return true
      })
      const { port } = server.address() as AddressInfo
      yield* send(port, { method: "POST", path: "/sandbox/echo", body: "{}" })
      assert.deepStrictEqual(offered, [true])
    }).pipe(Effect.scoped)
  )
})
