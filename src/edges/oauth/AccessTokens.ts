/** Resolves the `Authorization` header of a tool call to its caller (RFC 6750). */
import { Context, Effect, Layer, Schema } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { Logins } from "./Logins.ts"
import { Records } from "./Records.ts"
import { resourceOf, scope } from "./Resource.ts"

export interface Bearer {
  /** The key of the login, limited to the scopes that tools need. */
  readonly caller: Caller
  readonly loginId: string
  readonly clientId: string
}

/** `missing`: no bearer token. `invalid`: unknown, expired, revoked, for another resource, or of an invalid key. */
export class BearerRefused extends Schema.TaggedError<BearerRefused>()("BearerRefused", {
  reason: Schema.Literals(["missing", "invalid"])
}) {}

/** RFC 6750, 2.1. The scheme is case-insensitive (RFC 9110, 11.1). */
const scheme = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i

const make = Effect.gen(function* () {
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

  const authenticate = Effect.fn("AccessTokens.authenticate")(function* (authorization: string | undefined) {
    const token = scheme.exec(authorization ?? "")?.[1]
    if (token === undefined) return yield* new BearerRefused({ reason: "missing" })
    const bearer = yield* bearerOf(token)
    return bearer ?? (yield* new BearerRefused({ reason: "invalid" }))
  })

  return { authenticate }
})

export class AccessTokens extends Context.Service<AccessTokens, Effect.Success<typeof make>>()(
  "inferlog/src/edges/oauth/AccessTokens"
) {
  static readonly layer = Layer.effect(AccessTokens, make)
}
