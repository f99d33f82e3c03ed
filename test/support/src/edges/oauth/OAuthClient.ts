/** An assistant's side of OAuth by `oauth4webapi`, which checks every answer. */
import * as oauth from "oauth4webapi"
import type { Urls } from "#src/kernel/settings/PublicUrls.ts"
import { Browser, type Decision, type Visit } from "#test/support/AssistantLogin.ts"

/** The test servers are on loopback without TLS. */
const local = { [oauth.allowInsecureRequests]: true }

export const redirectUri = "http://127.0.0.1:33418/callback"

/** Changes to the default parameters; `undefined` removes one. */
export type Parameters = Readonly<Record<string, string | undefined>>

export interface Asked {
  readonly url: URL
  readonly verifier: string
  readonly state: string
}

/** As it was registered. */
const authenticationOf = ({ client_secret: secret, token_endpoint_auth_method: method }: oauth.Client) => {
  if (typeof secret !== "string") return oauth.None()
  return method === "client_secret_post" ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret)
}

export class OAuthClient {
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  /** RFC 8707: the resource that the tokens are for. */
  readonly resource: string
  readonly #authentication: oauth.ClientAuth

  constructor(server: oauth.AuthorizationServer, client: oauth.Client, resource: string) {
    this.server = server
    this.client = client
    this.resource = resource
    this.#authentication = authenticationOf(client)
  }

  /** Discovers the server from the address of the tools alone, through the documents. */
  static async discover({ mcpUrl }: Urls) {
    const tools = new URL(`${mcpUrl}/mcp`)
    const resource = await oauth.processResourceDiscoveryResponse(
      tools,
      await oauth.resourceDiscoveryRequest(tools, local)
    )
    const issuer = new URL(resource.authorization_servers?.[0] ?? "")
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { ...local, algorithm: "oauth2" })
    )
    return { resource, server }
  }

  static async register(urls: Urls, metadata: Readonly<Record<string, oauth.JsonValue>> = {}) {
    const { resource, server } = await OAuthClient.discover(urls)
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        {
          client_name: "Test Assistant",
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: "none",
          ...metadata
        },
        local
      )
    )
    return new OAuthClient(server, client, resource.resource)
  }

  /** The address to open in the user's browser. */
  async ask(changes: Parameters = {}): Promise<Asked> {
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const url = new URL(this.server.authorization_endpoint ?? "")
    const parameters: Parameters = {
      response_type: "code",
      client_id: this.client.client_id,
      redirect_uri: redirectUri,
      scope: "mcp",
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      resource: this.resource,
      ...changes
    }
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) url.searchParams.set(name, value)
    }
    return { url, verifier, state }
  }

  /** The page at an authorization address with `changes`. */
  async visit(changes: Parameters): Promise<Visit> {
    const { url } = await this.ask(changes)
    return new Browser().open(url)
  }

  /** The refusal at the redirect address, without a question to the user. */
  async refused(changes: Parameters): Promise<string> {
    const { state, url } = await this.ask(changes)
    const visit = await new Browser().open(url)
    if (visit._tag === "Page") throw new Error(`Status ${visit.status}, and not back: ${visit.html}`)
    return errorAnswerOf(Promise.resolve().then(() => this.answer(visit.url, state)))
  }

  /** Checks the redirect. A refusal is thrown as the library's error. */
  answer(back: URL, state: string): URLSearchParams {
    return oauth.validateAuthResponse(this.server, this.client, back, state)
  }

  /** A user signs in and decides. */
  async signIn(decision: Decision, changes: Parameters = {}) {
    const asked = await this.ask(changes)
    const back = await new Browser().signIn(asked.url, decision)
    return { ...asked, back, answer: this.answer(back, asked.state) }
  }

  /** Tokens for a code. */
  async redeem(answer: URLSearchParams, verifier: string, changes: Readonly<Record<string, string>> = {}) {
    const response = await oauth.authorizationCodeGrantRequest(
      this.server,
      this.client,
      this.#authentication,
      answer,
      redirectUri,
      verifier,
      { ...local, additionalParameters: { resource: this.resource, ...changes } }
    )
    return oauth.processAuthorizationCodeResponse(this.server, this.client, response)
  }

  /** The usual flow to tokens. */
  async tokens(decision: Decision) {
    const { answer, verifier } = await this.signIn(decision)
    return this.redeem(answer, verifier)
  }

  async refresh(refreshToken: string | undefined, changes: Readonly<Record<string, string>> = {}) {
    const response = await oauth.refreshTokenGrantRequest(
      this.server,
      this.client,
      this.#authentication,
      refreshToken ?? "",
      {
        ...local,
        additionalParameters: { resource: this.resource, ...changes }
      }
    )
    return oauth.processRefreshTokenResponse(this.server, this.client, response)
  }

  async revoke(token: string | undefined): Promise<void> {
    const response = await oauth.revocationRequest(
      this.server,
      this.client,
      this.#authentication,
      token ?? "",
      local
    )
    await oauth.processRevocationResponse(response)
  }

  /** An unsupported grant, or one with additional parameters. */
  async grant(type: string, parameters: Readonly<Record<string, string>>) {
    const response = await oauth.genericTokenEndpointRequest(
      this.server,
      this.client,
      this.#authentication,
      type,
      { ...parameters },
      local
    )
    return oauth.processGenericTokenEndpointResponse(this.server, this.client, response)
  }

  /** The first call of a session. A 401 is thrown as the library's error, with the content of the header. */
  async initialize(accessToken: string): Promise<Response> {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" }
    }
    const headers = new Headers({
      "content-type": "application/json",
      accept: "application/json, text/event-stream"
    })
    return oauth.protectedResourceRequest(
      accessToken,
      "POST",
      new URL(this.resource),
      headers,
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
      local
    )
  }
}

/** The OAuth error of a refused call, however the library reports it. */
export const errorAnswerOf = async (call: Promise<unknown>): Promise<string> => {
  const error = await call.then(
    (answer) => new Error(`It was not refused, but answered: ${JSON.stringify(answer)}`),
    (error: unknown) => error
  )
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) {
    return error.error
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return error.cause[0]?.parameters["error"] ?? "none"
  }
  throw error
}
