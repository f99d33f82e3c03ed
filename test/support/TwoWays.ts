/**
 * Both implementations of the hot routes over the same services: one server has only the declared routes, the other
 * only the fast path, and answers `notTaken` to what that leaves to the declared routes.
 */
import { once } from "node:events"
import { Context, Effect, Layer } from "effect"
import * as FrontedServer from "#src/edges/http/edge/FrontedServer.ts"
import * as Http from "#src/edges/server/HttpServer.ts"
import * as TestServer from "./TestServer.ts"

/** The status of a request that the fast path does not take. */
export const notTaken = 599

export class TwoWays extends Context.Service<TwoWays, { readonly declared: number; readonly fast: number }>()(
  "inferlog/test/TwoWays"
) {}

const listening = Effect.acquireRelease(
  Effect.promise(async () => {
    const fronted = FrontedServer.make(Http.limits, {
      onClose: () => {},
      refuseLate: () => {},
      refusePipelined: (_, response) => response.writeHead(429, { connection: "close" }).end(),
      refuseFault:
        ({ status }) =>
        (_, response) =>
          response.writeHead(status).end()
    })
    fronted.server.on("request", (_, response) => response.writeHead(notTaken).end())
    fronted.server.listen(0, "127.0.0.1")
    await once(fronted.server, "listening")
    return fronted
  }),
  ({ server }) =>
    Effect.promise(async () => {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    })
)

const portOf = (address: ReturnType<FrontedServer.Fronted["server"]["address"]>): number =>
  typeof address === "object" && address !== null ? address.port : 0

const fast = Layer.effectContext(
  Effect.gen(function* () {
    const { port: declared } = yield* TestServer.TestServer
    const { front, server } = yield* listening
    return Context.make(FrontedServer.Front, front).pipe(
      Context.add(TwoWays, { declared, fast: portOf(server.address()) })
    )
  })
)

export const layer = (options: TestServer.TestServerOptions = {}) =>
  Http.fastPath.pipe(
    Layer.provideMerge(fast),
    Layer.provideMerge(TestServer.layer({ ...options, serving: Http.declared })),
    Layer.provide(TestServer.bodyTimeout(options))
  )
