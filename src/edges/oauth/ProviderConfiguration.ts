/** oidc-provider as an OAuth 2.1 server for one resource: code flow with PKCE, rotating refresh and opaque tokens. */
import { type AdapterFactory, type Configuration, errors, interactionPolicy, type JWK } from "oidc-provider"
import type { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as ClientMetadata from "./ClientMetadata.ts"
import * as Lifetimes from "./Lifetimes.ts"
import type { Logins } from "./Logins.ts"
import * as RequestRefusedPage from "./pages/RequestRefusedPage.ts"
import * as Paths from "./Paths.ts"
import type { Run } from "./RecordAdapter.ts"
import type { RefreshLimits } from "./RefreshLimits.ts"
import { resourceOf, scope } from "./Resource.ts"
import * as crypto from "node:crypto"

/** The bytes before the seed in the PKCS #8 form of an Ed25519 key (RFC 8410, 7). */
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex")

const cookieKeys = ({ keyFor }: MasterKey["Service"]): Array<string> => [
  keyFor("oauth cookies").toString("base64url")
]

/** The library requires a signing key. It signs nothing, because tokens are opaque. */
const signingKey = ({ keyFor }: MasterKey["Service"]): JWK => {
  const key = Buffer.concat([pkcs8Prefix, keyFor("oauth signing")])
  const jwk = crypto.createPrivateKey({ key, format: "der", type: "pkcs8" }).export({ format: "jwk" })
  return { ...jwk, alg: "EdDSA", use: "sig" } as JWK
}

/** Each authorization asks the user: no sign-in outlasts it. */
const policy = [
  new interactionPolicy.Prompt(
    { name: "login", requestable: true },
    new interactionPolicy.Check("not_decided", "the account's holder has to sign in and decide", (ctx) =>
      ctx.oidc.result?.login === undefined
        ? interactionPolicy.Check.REQUEST_PROMPT
        : interactionPolicy.Check.NO_NEED_TO_PROMPT
    )
  )
]

/** Each authorization has its own cookies at its own paths. */
const cookie = { httpOnly: true, overwrite: true, sameSite: "lax", signed: true } as const

const off = { enabled: false } as const

type Features = NonNullable<Configuration["features"]>

/** The one resource, also for clients that name none. */
const resourceIndicators = (ours: string): Features["resourceIndicators"] => ({
  enabled: true,
  defaultResource: (_ctx, _client, oneOf) =>
    oneOf === undefined || oneOf.includes(ours) ? ours : [...oneOf],
  getResourceServerInfo: (_ctx, resource) => {
    if (resource !== ours) throw new errors.InvalidTarget()
    return { scope, audience: ours, accessTokenFormat: "opaque", accessTokenTTL: Lifetimes.accessToken }
  },
  useGrantedResource: () => true
})

/** Refused before the refresh token is used, so that the client can retry with it. */
const tooManyRefreshes = () =>
  Object.assign(new errors.OIDCProviderError(429, "temporarily_unavailable"), {
    error_description: "This sign-in has refreshed its tokens too often. Try again later."
  })

export interface Options {
  readonly adapter: AdapterFactory
  readonly logins: Logins["Service"]
  readonly master: MasterKey["Service"]
  readonly mcpUrl: string
  readonly refreshLimits: RefreshLimits
  readonly run: Run
}

export const make = ({ adapter, logins, master, mcpUrl, refreshLimits, run }: Options): Configuration => ({
  adapter,
  acceptQueryParamAccessTokens: false,
  allowOmittingSingleRegisteredRedirectUri: false,
  clientAuthMethods: [...ClientMetadata.authMethods],
  clientBasedCORS: () => true,
  clientDefaults: { id_token_signed_response_alg: "EdDSA" },
  cookies: { keys: cookieKeys(master), short: cookie, long: cookie },
  enabledJWA: { idTokenSigningAlgValues: ["EdDSA"] },
  expiresWithSession: () => false,
  features: {
    claimsParameter: off,
    clientCredentials: off,
    devInteractions: off,
    dPoP: off,
    introspection: off,
    pushedAuthorizationRequests: off,
    registration: off,
    requestObjects: off,
    resourceIndicators: resourceIndicators(resourceOf(mcpUrl)),
    revocation: {
      enabled: true,
      // A client may revoke its own tokens only. An access token is revoked alone; a refresh token ends its whole
      // login.
      allowedPolicy: async (_ctx, client, token) => {
        if (token.clientId !== client.clientId) return false
        if (token.kind !== "AccessToken") return true
        await token.destroy()
        return false
      }
    },
    rpInitiatedLogout: off,
    userinfo: off
  },
  findAccount: async (_ctx, id, token) => {
    // The token was issued when the tool server had another address. Its user signs in again.
    if (token !== undefined && "resource" in token && token.resource !== resourceOf(mcpUrl)) return undefined
    const caller = await run(logins.caller(id))
    return caller === null ? undefined : { accountId: id, claims: () => ({ sub: id }) }
  },
  interactions: { policy, url: (_ctx, { uid }) => `${mcpUrl}${Paths.interaction}/${uid}` },
  issueRefreshToken: () => true,
  jwks: { keys: [signingKey(master)] },
  loadExistingGrant: (ctx) => {
    const grantId = ctx.oidc.result?.consent?.grantId
    return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId)
  },
  pkce: { required: () => true },
  renderError: (ctx, { error, error_description: description }) => {
    const page = RequestRefusedPage.render({ error, description })
    ctx.set(page.headers)
    ctx.body = page.html
  },
  responseTypes: ["code"],
  revokeGrantPolicy: () => true,
  rotateRefreshToken: (ctx) => {
    const waitSeconds = refreshLimits(ctx.oidc.entities.RefreshToken?.accountId ?? "")
    if (waitSeconds === 0) return true
    ctx.set("retry-after", String(waitSeconds))
    throw tooManyRefreshes()
  },
  routes: { authorization: Paths.authorize, token: Paths.token, revocation: Paths.revoke },
  scopes: [scope],
  subjectTypes: ["public"],
  ttl: {
    AccessToken: Lifetimes.accessToken,
    AuthorizationCode: Lifetimes.code,
    Grant: Lifetimes.grant,
    Interaction: Lifetimes.interaction,
    RefreshToken: Lifetimes.refreshToken,
    Session: Lifetimes.interaction
  }
})
