/** A real OpenID issuer (oidc-provider) on loopback, which signs in the person of the test without a page. */
import * as http from "node:http"
import * as crypto from "node:crypto"
import type { AddressInfo } from "node:net"
import { type ClientMetadata, interactionPolicy, Provider } from "oidc-provider"

interface Person {
  readonly sub: string
  readonly name?: string
  readonly groups?: ReadonlyArray<string>
}

export const client = { id: "inferlog", secret: "n4bQgYhMfWWaLqgxVrQFQ0123456789" }

/** Settings of a server that signs operators in at the issuer. */
export const settingsOf = (issuer: TestIssuer, adminUrl: string): Readonly<Record<string, string>> => ({
  ADMIN_URL: adminUrl,
  ALLOW_PRIVATE_TARGETS: "true",
  OIDC_ISSUER: issuer.url,
  OIDC_CLIENT_ID: client.id,
  OIDC_CLIENT_SECRET: client.secret,
  OIDC_ROLE_CLAIM: "groups",
  OIDC_ROLE_MAP: "owner=admins,operator=ops"
})

const makeKey = () => crypto.generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey

const jwkOf = (key: crypto.KeyObject) => ({
  ...key.export({ format: "jwk" }),
  kid: crypto.randomUUID(),
  use: "sig",
  alg: "ES256"
})

const resigned = (token: string, key: crypto.KeyObject, { changeClaims }: TestIssuer): string => {
  const [header = "", payload = ""] = token.split(".")
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString())
  const changed = Buffer.from(JSON.stringify(changeClaims?.(claims) ?? claims)).toString("base64url")
  const signature = crypto.sign("sha256", Buffer.from(`${header}.${changed}`), {
    key,
    dsaEncoding: "ieee-p1363"
  })
  return `${header}.${changed}.${signature.toString("base64url")}`
}

export interface TestIssuer {
  readonly url: string
  /** Who signs in next. */
  person: Person
  /** Changes the claims of ID tokens, which are then signed anew. */
  changeClaims: ((claims: Record<string, unknown>) => Record<string, unknown>) | null
  /** Whether ID tokens get a signature of another key. */
  isForged: boolean
  start(): Promise<void>
  stop(): Promise<void>
  /** Restarts with other keys, and forgets everyone. */
  rotate(): Promise<void>
}

const providerAt = (url: string, redirectUri: string, issuer: TestIssuer) => {
  const key = makeKey()
  const registered: ClientMetadata = {
    client_id: client.id,
    client_secret: client.secret,
    redirect_uris: [redirectUri],
    response_types: ["code"],
    grant_types: ["authorization_code"],
    id_token_signed_response_alg: "ES256"
  }
  const provider = new Provider(url, {
    clients: [registered],
    claims: { openid: ["sub"], profile: ["name", "groups"] },
    conformIdTokenClaims: true,
    cookies: { keys: ["test"] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    findAccount: async (_ctx, id) => {
      const { person } = issuer
      return { accountId: id, claims: () => ({ ...person, groups: [...(person.groups ?? [])], sub: id }) }
    },
    interactions: { policy: interactionPolicy.base(), url: (_ctx, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [jwkOf(key) as never] },
    loadExistingGrant: async (ctx) => {
      const grant = new ctx.oidc.provider.Grant({
        clientId: client.id,
        accountId: ctx.oidc.session?.accountId ?? ""
      })
      grant.addOIDCScope("openid profile email")
      await grant.save()
      return grant
    },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 }
  })
  provider.use(async (ctx, next) => {
    await next()
    if (ctx.path !== "/token" || ctx.status !== 200) return
    if (issuer.changeClaims === null && !issuer.isForged) return
    const tokens = ctx.body as { id_token: string }
    tokens.id_token = resigned(tokens.id_token, issuer.isForged ? makeKey() : key, issuer)
  })
  return provider
}

/** @param redirectUri the one redirect URI that the client may use. */
export const make = async (redirectUri: string): Promise<TestIssuer> => {
  const probe = http.createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => probe.once("listening", resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  const url = `http://127.0.0.1:${port}`
  let server: http.Server | null = null

  const issuer: TestIssuer = {
    url,
    person: { sub: "ada" },
    changeClaims: null,
    isForged: false,
    start: async () => {
      const provider = providerAt(url, redirectUri, issuer)
      const callback = provider.callback()
      server = http.createServer((request, response) => {
        if (request.url?.startsWith("/interaction/") !== true) return void callback(request, response)
        const result = { login: { accountId: issuer.person.sub } }
        void provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
      })
      server.listen(port, "127.0.0.1")
      await new Promise((resolve) => server?.once("listening", resolve))
    },
    stop: async () => {
      const ended = server
      server = null
      if (ended === null) return
      ended.closeAllConnections()
      await new Promise((resolve) => ended.close(resolve))
    },
    rotate: async () => {
      await issuer.stop()
      await issuer.start()
    }
  }
  return issuer
}
