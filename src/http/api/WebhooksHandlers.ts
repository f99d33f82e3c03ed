/** The declared webhook routes. */
import { Effect } from "effect"
import * as BodyReader from "../edge/BodyReader.ts"
import * as GetDelivery from "../routes/webhooks/GetDelivery.ts"
import * as ListDeliveries from "../routes/webhooks/ListDeliveries.ts"
import * as RecoverDeliveries from "../routes/webhooks/RecoverDeliveries.ts"
import * as ReplayDelivery from "../routes/webhooks/ReplayDelivery.ts"
import * as SigningSecret from "../routes/webhooks/SigningSecret.ts"
import * as Authorization from "./Authorization.ts"
import * as DeclaredRoutes from "./DeclaredRoutes.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

export const layer = DeclaredRoutes.layer({
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
