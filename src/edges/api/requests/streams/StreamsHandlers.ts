/** The declared streams. */
import { Effect, Layer } from "effect"
import { LiveStatus } from "#projections/live-status/LiveStatus.ts"
import { LiveProgress } from "#src/features/requests/live/LiveProgress.ts"
import { LiveHub } from "#src/features/requests/live/LiveHub.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import * as AccountStream from "./AccountStream.ts"
import * as StatusStream from "./StatusStream.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { StreamsApi } from "./StreamsApi.ts"

export const layer = DeclaredRoutes.layerOfHandlers({
  group: StreamsApi,
  admit: Authorization.admit,
  services: Effect.all({ account: AccountStream.make, status: StatusStream.make }),
  handlers: ({ account, status }) => ({
    streamRequests: ({ headers, query, request }, caller) => account({ caller, headers, query, request }),
    streamStatus: ({ headers, params, request }, caller) => status({ caller, headers, params, request })
  })
}).pipe(
  Layer.provide([LiveHub.layer, LiveProgress.layer]),
  Layer.provide([EventStreams.layer, LiveStatus.layer])
)
