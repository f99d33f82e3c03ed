/** The declared webhook routes. */
import { Effect } from "effect"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as GetDelivery from "./GetDelivery.ts"
import * as ListDeliveries from "./ListDeliveries.ts"
import * as RecoverDeliveries from "./RecoverDeliveries.ts"
import * as ReplayDelivery from "./ReplayDelivery.ts"
import * as SigningSecret from "./SigningSecret.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

export const layer = DeclaredRoutes.layerOfHandlers({
  group: WebhooksApi,
  admit: Authorization.admit,
  services: Effect.all({
    list: ListDeliveries.make,
    get: GetDelivery.make,
    replay: ReplayDelivery.make,
    recover: RecoverDeliveries.make,
    secret: SigningSecret.make
  }),
  handlers: ({ get, list, recover, replay, secret }) => ({
    listDeliveries: ({ query }, caller) => list({ caller, query }),
    getDelivery: ({ params }, caller) => get({ caller, params }),
    replayDelivery: ({ params }, caller) => replay({ caller, params }),
    recoverDeliveries: ({ request }, caller) =>
      recover({ caller, headers: request.headers, readBody: BodyReader.read(request) }),
    getSigningSecret: (_, caller) => secret.current(caller),
    rotateSigningSecret: ({ request }, caller) =>
      secret.rotate({ caller, headers: request.headers, readBody: BodyReader.read(request) })
  })
})
