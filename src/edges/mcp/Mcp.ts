/** The assistant-tool server, except for its routes. */
import { Context, Duration, Effect, Layer } from "effect"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import { CatalogSearch } from "#src/features/catalog/CatalogSearch.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import { DirectUploads } from "#src/features/files/DirectUploads.ts"
import { Stopping } from "#src/edges/http/Stopping.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { RequestHistory } from "#src/features/requests/RequestHistory.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import type * as AllTools from "./AllTools.ts"
import { MessageBody } from "./body/MessageBody.ts"
import { McpEndpoint, type Open, type Registrations } from "./McpEndpoint.ts"
import * as ServiceContext from "./ServiceContext.ts"
import * as SessionCollection from "./sessions/SessionCollection.ts"
import { Sessions } from "./sessions/Sessions.ts"
import { MaxFileBytes } from "./tools/files/FileSource.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"

/** Loading and describing the tools takes a quarter of a second, so the first message does it, not the start. */
const load = Effect.promise(() => Promise.all([import("./ServedProtocol.ts"), import("./AllTools.ts")]))

type Needed = Exclude<Layer.Services<typeof AllTools.layer>, Open>

const pickNeeded = Context.pick(
  AccountActors,
  BlobStore,
  Catalog,
  CatalogContents,
  CatalogSearch,
  DirectUploads,
  Expectations,
  MasterKey,
  MaxFileBytes,
  MediaStore,
  Outbound,
  PublicUrls,
  RequestActors,
  RequestHistory,
  Requests,
  ScratchDirectory,
  SteadyTime,
  Stopping
)

const endpoint = (more: Registrations<never, Open>) =>
  Layer.effect(
    McpEndpoint,
    Effect.gen(function* () {
      const context = yield* Effect.context<Needed>()
      const services = Context.merge(ServiceContext.without(context), pickNeeded(context))
      const scope = yield* Effect.scope
      const build = Effect.gen(function* () {
        const [protocol, tools] = yield* load
        const all = tools.layer.pipe(Layer.provide(Layer.succeedContext(services)))
        return yield* Layer.buildWithScope(protocol.layerOf(Layer.merge(all, more)), scope)
      }).pipe(
        Effect.map((built) => Context.get(built, McpEndpoint)),
        // The settings were read at the start. Loading continues when the first client disconnects.
        Effect.orDie,
        Effect.uninterruptible,
        // The started services outlive the first message and must not see its client's context.
        Effect.updateContext<never, never>(() => services)
      )
      const [cached, forget] = yield* Effect.cachedInvalidateWithTTL(build, Duration.infinity)
      // A failed load is tried again.
      const built = Effect.onError(cached, () => forget)
      return McpEndpoint.of({
        post: (message, tell) => Effect.flatMap(built, (endpoint) => endpoint.post(message, tell)),
        offered: Effect.flatMap(built, (endpoint) => endpoint.offered),
        terminate: (session) => Effect.flatMap(built, (endpoint) => endpoint.terminate(session))
      })
    })
  )

/**
 * Needs the HTTP server, whose stop must interrupt the tools.
 *
 * @param more tools, for tests and benchmarks.
 */
export const layerWith = (more: Registrations<never, Open>) =>
  SessionCollection.layer.pipe(
    Layer.provideMerge(Sessions.layer),
    Layer.provideMerge(endpoint(more).pipe(Layer.provide(DirectUploads.layer))),
    Layer.provideMerge(MessageBody.layer)
  )
