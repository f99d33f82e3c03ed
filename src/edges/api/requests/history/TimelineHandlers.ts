/** The declared route of the timeline. */
import { Effect, Layer } from "effect"
import { Timeline } from "#src/features/requests/Timeline.ts"
import * as ListEvents from "./ListEvents.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { TimelineApi } from "./TimelineApi.ts"

export const layer = DeclaredRoutes.layerOfHandlers({
  group: TimelineApi,
  admit: Authorization.admit,
  services: Effect.all({ list: ListEvents.make }),
  handlers: ({ list }) => ({
    listRequestEvents: ({ params, query }, caller) => list({ caller, params, query })
  })
}).pipe(Layer.provide(Timeline.layer))
