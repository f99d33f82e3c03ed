/** The assistant-tool server, all of it but its routes. */
import { Context, Effect, Layer } from "effect"
import { DirectUploads } from "#src/files/DirectUploads.ts"
import type * as AllTools from "./AllTools.ts"
import { MessageBody } from "./body/MessageBody.ts"
import { McpEndpoint, type Open, type Registrations } from "./McpEndpoint.ts"
import * as SessionCollection from "./sessions/SessionCollection.ts"
import { Sessions } from "./sessions/Sessions.ts"

/** A quarter of a second to load and to describe, which no start waits for: the first message does. */
const load = Effect.promise(() => Promise.all([import("./ServedProtocol.ts"), import("./AllTools.ts")]))

type Needed = Exclude<Layer.Services<typeof AllTools.layer>, Open>

const endpoint = (more: Registrations<never, Open>) =>
  Layer.effect(
    McpEndpoint,
    Effect.gen(function* () {
      const services = yield* Effect.context<Needed>()
      const scope = yield* Effect.scope
      const build = Effect.gen(function* () {
        const [protocol, tools] = yield* load
        const all = tools.layer.pipe(Layer.provide(Layer.succeedContext(services)))
        return yield* Layer.buildWithScope(protocol.layerOf(Layer.merge(all, more)), scope)
      }).pipe(
        Effect.map((built) => Context.get(built, McpEndpoint)),
        // Settings were read at the start; and to its end, even when the first client has gone by then.
        Effect.orDie,
        Effect.uninterruptible
      )
      const built = yield* Effect.cached(build)
      return McpEndpoint.of({
        post: (message, tell) => Effect.flatMap(built, (endpoint) => endpoint.post(message, tell)),
        terminate: (session) => Effect.flatMap(built, (endpoint) => endpoint.terminate(session))
      })
    })
  )

/** @param more tools, for tests and benchmarks. */
export const layerWith = (more: Registrations<never, Open>) =>
  SessionCollection.layer.pipe(
    Layer.provideMerge(Sessions.layer),
    Layer.provideMerge(endpoint(more).pipe(Layer.provide(DirectUploads.layer))),
    Layer.provideMerge(MessageBody.layer)
  )

/** Over the HTTP server, of whose end the tools have to hear. */
export const layer = layerWith(Layer.empty)
