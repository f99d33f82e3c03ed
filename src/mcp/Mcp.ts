/** The assistant-tool server, all of it but its routes. */
import { type Context, Effect, Layer } from "effect"
import { CatalogSearch } from "#src/catalog/CatalogSearch.ts"
import { DirectUploads } from "#src/files/DirectUploads.ts"
import * as AllTools from "./AllTools.ts"
import { MessageBody } from "./body/MessageBody.ts"
import { McpEndpoint, type Open, type Registrations } from "./McpEndpoint.ts"
import * as SessionCollection from "./sessions/SessionCollection.ts"
import { Sessions } from "./sessions/Sessions.ts"

type Needed = Exclude<Layer.Services<typeof AllTools.layer>, Open>

const endpoint = (more: Registrations<never, Open>) =>
  Layer.unwrap(
    Effect.contextWith((services: Context.Context<Needed>) => {
      const all = AllTools.layer.pipe(Layer.provide(Layer.succeedContext(services)))
      return Effect.succeed(McpEndpoint.layerOf(Layer.merge(all, more)))
    })
  )

/** @param more tools, for tests. */
export const layerWith = (more: Registrations<never, Open>) =>
  SessionCollection.layer.pipe(
    Layer.provideMerge(Sessions.layer),
    Layer.provideMerge(endpoint(more).pipe(Layer.provide([CatalogSearch.layer, DirectUploads.layer]))),
    Layer.provideMerge(MessageBody.layer)
  )

/** Over the HTTP server, of whose end the tools have to hear. */
export const layer = layerWith(Layer.empty)
