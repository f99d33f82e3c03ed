/** A signed-in assistant, reduced to what a load needs: its token and its session. */
import * as crypto from "node:crypto"
import { Effect } from "effect"
import { BenchFailed } from "../../harness/Subject.ts"
import * as Inferlog from "../Inferlog.ts"

/** Headers of every call. */
export interface Assistant {
  readonly headers: Readonly<Record<string, string>>
}

/** No server listens there. The code is read from the redirect. */
const redirectUri = "http://127.0.0.1:9/callback"

const expectStatus = (response: Response, status: number): Response => {
  if (response.status !== status)
    throw new Error(`${response.url} answered ${response.status}, not ${status}`)
  return response
}

const post = async (url: string, body: object | URLSearchParams, status: number): Promise<unknown> => {
  const isForm = body instanceof URLSearchParams
  const headers = isForm ? undefined : { "content-type": "application/json" }
  const init = { method: "POST", body: isForm ? body : JSON.stringify(body), ...(headers && { headers }) }
  return expectStatus(await fetch(url, init), status).json()
}

const field = (answer: unknown, name: string): string => {
  const value: unknown = Object(answer)[name]
  if (typeof value !== "string") throw new Error(`expected ${name} in the answer`)
  return value
}

/** Follows redirects and keeps cookies until the server redirects to the client or shows a page. */
const browse = (cookies: Map<string, string>) => {
  const visit = async (url: string, init: RequestInit = {}): Promise<{ url: string; html: string }> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(url, { ...init, redirect: "manual", headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";")
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
    }
    const html = await response.text()
    const location = response.headers.get("location")
    if (location === null) return { url, html }
    const next = new URL(location, url).href
    return next.startsWith(redirectUri) ? { url: next, html } : visit(next)
  }
  return visit
}

const signIn = async (url: string): Promise<string> => {
  const client = { client_name: "bench", redirect_uris: [redirectUri], token_endpoint_auth_method: "none" }
  const clientId = field(await post(`${url}/oauth/register`, client, 201), "client_id")
  const verifier = crypto.randomBytes(32).toString("base64url")
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: crypto.hash("sha256", verifier, "base64url"),
    code_challenge_method: "S256"
  })
  const visit = browse(new Map())
  const page = await visit(`${url}/oauth/authorize?${query}`)
  const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec(page.html) ?? []
  const form = new URLSearchParams({ csrf, api_key: Inferlog.apiKey, decision: "allow" })
  const code = new URL((await visit(page.url, { method: "POST", body: form })).url).searchParams.get("code")
  const exchange = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code: code ?? "",
    code_verifier: verifier
  })
  return field(await post(`${url}/oauth/token`, exchange, 200), "access_token")
}

const version = "2025-11-25"

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: version, capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } }
}

const letIn = async ({ url }: Inferlog.Inferlog): Promise<Assistant> => {
  const headers = {
    authorization: `Bearer ${await signIn(url)}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json"
  }
  const init = { method: "POST", headers, body: JSON.stringify(initialize) }
  const response = expectStatus(await fetch(`${url}/mcp`, init), 200)
  await response.text()
  const session = response.headers.get("mcp-session-id") ?? ""
  return { headers: { ...headers, "mcp-session-id": session, "mcp-protocol-version": version } }
}

export const make = (server: Inferlog.Inferlog): Effect.Effect<Assistant, BenchFailed> =>
  Effect.tryPromise({
    try: () => letIn(server),
    catch: (cause) => new BenchFailed({ reason: `the assistant could not sign in: ${String(cause)}` })
  })

/** The body of a call. */
export const callOf = (name: string, args: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
