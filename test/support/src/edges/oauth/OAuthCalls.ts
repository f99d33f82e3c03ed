/** The requests of an assistant and a browser to the authorization server, one at a time. */
import * as crypto from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { AccountId } from "#domain/Ids.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { AccessTokens } from "#src/edges/oauth/AccessTokens.ts"
import { Interactions, type PendingAuthorization } from "#src/edges/oauth/Interactions.ts"
import type { SignedIn } from "#src/edges/oauth/SignIn.ts"
import { type Probe, type Reply, send } from "#test/support/HttpProbe.ts"
import { TestServer } from "#test/support/TestServer.ts"

export const redirectUri = "http://127.0.0.1/callback"

export const call = (probe: Probe) => Effect.flatMap(TestServer, ({ port }) => send(port, probe))

export const registration = (
  metadata: unknown = { redirect_uris: [redirectUri], client_name: "Acme" }
): Probe => ({
  method: "POST",
  path: "/oauth/register",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(metadata)
})

export const register = (metadata?: unknown) => call(registration(metadata))

const Registered = Schema.decodeUnknownSync(
  Schema.Struct({ client_id: Schema.String, client_secret: Schema.optionalKey(Schema.String) })
)

export const registered = (metadata?: unknown) =>
  Effect.map(register(metadata), ({ json }) => Registered(json))

export const verifier = "v".repeat(43)

const challengeOf = (text: string) => crypto.hash("sha256", text, "base64url")

export type Fields = Readonly<Record<string, string | undefined>>

const encode = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]): Array<[string, string]> =>
      value === undefined ? [] : [[name, value]]
    )
  ).toString()

/** With all required parameters, unless given otherwise. */
export const authorization = (clientId: string, fields: Fields = {}): Probe => ({
  path: `/oauth/authorize?${encode({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challengeOf(verifier),
    code_challenge_method: "S256",
    state: "st",
    scope: "mcp",
    ...fields
  })}`
})

export const authorize = (clientId: string, fields?: Fields) => call(authorization(clientId, fields))

/** The state of a browser at the sign-in page. */
export interface Visit {
  readonly uid: string
  readonly cookies: string
}

const cookiesOf = ({ headers }: Reply): string =>
  (headers["set-cookie"] ?? []).map((cookie) => cookie.split(";", 1)[0] ?? "").join("; ")

export const begun = (clientId: string, fields?: Fields) =>
  Effect.map(authorize(clientId, fields), (reply): Visit => {
    assert.strictEqual(reply.status, 303, reply.text)
    const uid = /\/oauth\/interaction\/([\w-]+)$/.exec(reply.headers.location ?? "")?.[1]
    if (uid === undefined) throw new Error(`Not sent to the sign-in page: ${reply.headers.location}`)
    return { uid, cookies: cookiesOf(reply) }
  })

export const browser = (cookie: string) =>
  HttpServerRequest.fromWeb(new Request("http://localhost/", { headers: { cookie } }))

/** As a user who has pasted the key. */
export const byKey = Effect.fnUntraced(function* (header: string) {
  const presented = ApiKey.present(header.replace(/^Key /, ""))
  if (presented === null) throw new Error("That is no key")
  const { recognize } = yield* Authentication
  return { _tag: "ByKey", presented, caller: yield* recognize(presented) } satisfies SignedIn
})

export const password = Redacted.make("correct horse battery")

/** As a user who has entered the account's password, which is set if there was none. */
export const byPassword = Effect.fnUntraced(function* (accountId: AccountId) {
  const { mark, set } = yield* Passwords
  if ((yield* mark(accountId)) === null) yield* set({ accountId, password })
  const passwordMark = (yield* mark(accountId)) ?? assert.fail("No password")
  return { _tag: "ByPassword", accountId, passwordMark } satisfies SignedIn
})

export const pendingOf = Effect.fnUntraced(function* ({ cookies, uid }: Visit) {
  return yield* (yield* Interactions).pending(browser(cookies), uid)
})

const back = ({ cookies }: Visit, address: string) => {
  const { pathname } = new URL(address)
  return Effect.map(call({ path: pathname, headers: { cookie: cookies } }), (reply) => {
    assert.strictEqual(reply.status, 303, reply.text)
    // The sign-in ends here: the answer only removes cookies.
    for (const cookie of reply.headers["set-cookie"] ?? []) assert.match(cookie, /expires=Thu, 01 Jan 1970/i)
    return new URL(reply.headers.location ?? "")
  })
}

export const allowed = Effect.fnUntraced(function* (
  visit: Visit,
  signedIn: SignedIn,
  pending?: PendingAuthorization
) {
  const interactions = yield* Interactions
  const address = yield* interactions.allow(
    browser(visit.cookies),
    pending ?? (yield* pendingOf(visit)),
    signedIn
  )
  return yield* back(visit, address)
})

export const denied = Effect.fnUntraced(function* (visit: Visit) {
  const interactions = yield* Interactions
  return yield* back(visit, yield* interactions.deny(browser(visit.cookies), yield* pendingOf(visit)))
})

const tokenRequest = (fields: Fields, headers: Readonly<Record<string, string>> = {}) => ({
  method: "POST",
  path: "/oauth/token",
  headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  body: encode(fields)
})

export const token = (...request: Parameters<typeof tokenRequest>) => call(tokenRequest(...request))

export const redemption = (clientId: string, code: string, fields: Fields = {}) =>
  tokenRequest({
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
    ...fields
  })

export const exchange = (...redeemed: Parameters<typeof redemption>) => call(redemption(...redeemed))

export const refresh = (clientId: string, refreshToken: string, fields: Fields = {}) =>
  token({ grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken, ...fields })

export const revoke = (clientId: string, token: string) =>
  call({
    method: "POST",
    path: "/oauth/revoke",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: encode({ client_id: clientId, token })
  })

const Tokens = Schema.decodeUnknownSync(
  Schema.Struct({ access_token: Schema.String, refresh_token: Schema.String })
)

export interface Tokens {
  readonly access: string
  readonly refresh: string
}

export const tokensOf = (reply: Reply): Tokens => {
  assert.strictEqual(reply.status, 200, reply.text)
  const { access_token: access, refresh_token: refresh } = Tokens(reply.json)
  return { access, refresh }
}

export const codeOf = (url: URL): string => url.searchParams.get("code") ?? assert.fail(url.href)

/** A code for a client, after a user with the key has allowed it. */
export const code = Effect.fnUntraced(function* (clientId: string, key: string) {
  return codeOf(yield* allowed(yield* begun(clientId), yield* byKey(key)))
})

/** The whole flow. */
export const signedIn = Effect.fnUntraced(function* (key: string) {
  const { client_id: clientId } = yield* registered()
  const tokens = tokensOf(yield* exchange(clientId, yield* code(clientId, key)))
  return { clientId, ...tokens }
})

/** The whole flow with the account's password, and so with a key of the login's own. */
export const signedInByPassword = Effect.fnUntraced(function* (accountId: AccountId) {
  const { client_id: clientId } = yield* registered()
  const url = yield* allowed(yield* begun(clientId), yield* byPassword(accountId))
  const tokens = tokensOf(yield* exchange(clientId, codeOf(url)))
  return { ...tokens, ...(yield* bearerOf(tokens.access)) }
})

export const bearerOf = (access: string) =>
  Effect.flatMap(AccessTokens, ({ authenticate }) => authenticate(`Bearer ${access}`))

/** `alive`, or why the token is refused. */
export const stateOf = (access: string) =>
  bearerOf(access).pipe(
    Effect.as("alive"),
    Effect.catchTag("BearerRefused", ({ reason }) => Effect.succeed(reason))
  )

export const refreshed = (clientId: string, refreshToken: string) =>
  Effect.map(refresh(clientId, refreshToken), tokensOf)

/** Expects that it has no tokens. */
export const refreshRefused = Effect.fnUntraced(function* (clientId: string, refreshToken: string) {
  const reply = yield* refresh(clientId, refreshToken)
  assert.deepStrictEqual([reply.status, errorOf(reply)], [400, "invalid_grant"])
})

export const errorOf = ({ json }: Reply): unknown => Reflect.get(Object(json), "error")

export const descriptionOf = ({ json }: Reply): string =>
  String(Reflect.get(Object(json), "error_description"))
