/** The authorization server for assistants, except for its pages. */
import { Layer, Effect } from "effect"
import { AuthorizationServer } from "./AuthorizationServer.ts"
import * as Collection from "./Collection.ts"
import * as ProviderInteractions from "./ProviderInteractions.ts"
import { Records } from "./Records.ts"
import { Registrations } from "./Registrations.ts"
import * as StoredLogins from "./StoredLogins.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { AccessTokens, type Bearer, BearerRefused } from "./AccessTokens.ts"
import { Logins } from "./Logins.ts"
import { resourceOf, scope } from "./Resource.ts"

/** RFC 6750, 2.1. The scheme is case-insensitive (RFC 9110, 11.1). */
const scheme = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i

const layerBearerTokens = Layer.effect(
  AccessTokens,
  Effect.gen(function* () {
    const records = yield* Records
    const logins = yield* Logins
    const audience = resourceOf((yield* PublicUrls).mcpUrl)

    const bearerOf = Effect.fnUntraced(function* (token: string) {
      const found = yield* records.find({ model: "AccessToken", id: token })
      if (found === null) return null
      const { accountId: loginId, aud, clientId, scope: granted } = found.payload
      if (aud !== audience || typeof granted !== "string" || !granted.split(" ").includes(scope)) return null
      if (typeof loginId !== "string" || typeof clientId !== "string") return null
      const caller = yield* logins.caller(loginId)
      const bearer: Bearer | null = caller === null ? null : { caller, loginId, clientId }
      return bearer
    })

    const authenticate = Effect.fn("AccessTokens.authenticate")(function* (
      authorization: string | undefined
    ) {
      const token = scheme.exec(authorization ?? "")?.[1]
      if (token === undefined) return yield* new BearerRefused({ reason: "missing" })
      const bearer = yield* bearerOf(token)
      return bearer ?? (yield* new BearerRefused({ reason: "invalid" }))
    })

    return AccessTokens.of({ authenticate })
  })
)

/** Needs `OAuthDatabase`, the accounts with their keys, the master key and the public addresses. */
export const layer = Layer.mergeAll(
  ProviderInteractions.layer,
  layerBearerTokens,
  Registrations.layer,
  Collection.layer
).pipe(
  Layer.provideMerge(AuthorizationServer.layer),
  Layer.provideMerge(StoredLogins.layer),
  Layer.provideMerge(Records.layer)
)
