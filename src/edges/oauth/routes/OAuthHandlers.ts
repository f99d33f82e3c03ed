/** The handlers of the authorization server's routes. */
import { Effect, Layer } from "effect"
import * as Metadata from "../Metadata.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Authorize from "./Authorize.ts"
import * as ClientCalls from "./ClientCalls.ts"
import { AuthorizeApi } from "./AuthorizeApi.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { OAuthApi } from "./OAuthApi.ts"
import * as PublicReads from "#src/edges/http/api/PublicReads.ts"

const metadata = Effect.map(PublicUrls, (urls) => {
  const forAWhile = { "cache-control": "public, max-age=300" }
  const resource = Answer.json(200, Metadata.protectedResource(urls), forAWhile)
  const server = Answer.json(200, Metadata.authorizationServer(urls), forAWhile)
  return { resource: () => Effect.succeed(resource), server: () => Effect.succeed(server) }
})

const clients = DeclaredRoutes.layerOfHandlers({
  group: OAuthApi,
  admit: PublicReads.admit,
  services: Effect.all({ metadata, calls: ClientCalls.make }),
  handlers: ({ calls, metadata }) => ({
    getProtectedResource: metadata.resource,
    getProtectedResourceOfTools: metadata.resource,
    getAuthorizationServer: metadata.server,
    getAuthorizationServerOfTools: metadata.server,
    registerClient: ({ request }) => calls.register(request),
    getToken: ({ request }) => calls.token(request),
    revokeToken: ({ request }) => calls.revoke(request)
  })
})

const browsers = DeclaredRoutes.layerOfHandlers({
  group: AuthorizeApi,
  admit: DeclaredRoutes.everybody,
  services: Authorize.make,
  handlers: (authorize) => ({
    authorize: ({ request }) => authorize.begin(request),
    resumeAuthorization: ({ params, request }) => authorize.resume(request, params.uid)
  })
})

export const layer = Layer.mergeAll(clients, browsers, PublicReads.preflights(OAuthApi))
