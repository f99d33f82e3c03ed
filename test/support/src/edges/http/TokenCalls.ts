/** Calls with tokens, from pages. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Reply } from "#test/support/HttpProbe.ts"
import { call, jsonHeaders } from "./Calls.ts"

export const app = "https://app.example"
export const other = "https://other.example"

const Made = Schema.Struct({
  token: Schema.String,
  expiresAt: Schema.String,
  models: Schema.NullOr(Schema.Array(Schema.String)),
  request: Schema.NullOr(Schema.String),
  readOnly: Schema.Boolean,
  origins: Schema.NullOr(Schema.Array(Schema.String))
})

const decode = Schema.decodeUnknownSync(Made, { onExcessProperty: "error" })

export const ask = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  call({
    method: "POST",
    path: "/keys/tokens",
    headers: { ...jsonHeaders, ...headers },
    body: JSON.stringify(body)
  })

/** A token of the first account's key, or of the key in `headers`. */
export const make = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  Effect.map(ask(body, headers), (reply) => {
    assert.strictEqual(reply.status, 201, reply.text)
    assert.strictEqual(reply.headers["cache-control"], "no-store")
    return decode(reply.json)
  })

/** As a page of `app` sends it. */
export const headersOf = (token: string) => ({ authorization: `Key ${token}`, origin: app })

/** What a page of `app` sends with a new token for it. */
export const appHeaders = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  Effect.map(make({ ...body, origins: [app] }, headers), ({ token }) => headersOf(token))

export const codeOf = ({ json }: Reply): unknown =>
  Reflect.get(Object(Reflect.get(Object(json), "details")), "code")
