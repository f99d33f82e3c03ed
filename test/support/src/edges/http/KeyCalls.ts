/** Calls of the key routes, and their answers. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Reply } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call, jsonHeaders } from "./Calls.ts"

export type Headers = Readonly<Record<string, string>>

/** For a separate account, whose first key has all rights. */
export const account = (name: string) =>
  Effect.map(TestServer.openAccount(name), (authorization): Headers => ({ authorization }))

/** With a key in the shown form. */
export const headersOf = ({ key }: { readonly key: string }): Headers => ({ authorization: `Key ${key}` })

export const list = (headers: Headers, query = "") => call({ path: `/keys${query}`, headers })

export const get = (headers: Headers, id: string) => call({ path: `/keys/${id}`, headers })

export const revoke = (headers: Headers, id: string) =>
  call({ method: "DELETE", path: `/keys/${id}`, headers })

export const create = (headers: Headers, body: unknown) =>
  call({
    method: "POST",
    path: "/keys",
    headers: { ...jsonHeaders, ...headers },
    body: JSON.stringify(body)
  })

/** Without a body if none is given. */
export const rotate = (headers: Headers, id: string, body?: unknown) =>
  call({
    method: "POST",
    path: `/keys/${id}/rotate`,
    headers: { ...(body === undefined ? {} : jsonHeaders), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })

const Time = Schema.NullOr(Schema.String)

const Record = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  prefix: Schema.String,
  scopes: Schema.Array(Schema.String),
  modelEndpoints: Schema.NullOr(Schema.Array(Schema.String)),
  monthlyBudget: Schema.NullOr(Schema.String),
  origins: Schema.NullOr(Schema.Array(Schema.String)),
  createdAt: Schema.String,
  lastUsedAt: Time,
  expiresAt: Time,
  rotatedAt: Time,
  revokedAt: Time
})

const exactly = { onExcessProperty: "error" } as const

const decodeRecord = Schema.decodeUnknownSync(Record, exactly)
const decodeIssued = Schema.decodeUnknownSync(
  Schema.Struct({ ...Record.fields, key: Schema.String }),
  exactly
)
const decodeRotated = Schema.decodeUnknownSync(
  Schema.Struct({ ...Record.fields, key: Schema.String, previousKeyExpiresAt: Time }),
  exactly
)
const decodeList = Schema.decodeUnknownSync(
  Schema.Struct({
    page: Schema.Int,
    limit: Schema.Int,
    total: Schema.Int,
    totalPages: Schema.Int,
    data: Schema.Array(Record),
    next: Schema.NullOr(Schema.String)
  }),
  exactly
)

const bodyOf =
  <Body>(status: number, decode: (json: unknown) => Body) =>
  (reply: Reply): Body => {
    assert.strictEqual(reply.status, status, reply.text)
    assert.strictEqual(reply.headers["cache-control"], "no-store")
    return decode(reply.json)
  }

export const recordOf = bodyOf(200, decodeRecord)
const issuedOf = bodyOf(201, decodeIssued)
export const rotatedOf = bodyOf(200, decodeRotated)
export const listOf = bodyOf(200, decodeList)

/** An existing key. */
export const created = (headers: Headers, body: object = {}) =>
  Effect.map(create(headers, { name: "a key", ...body }), issuedOf)

/** The status of a call that any key with `keys:admin` may make. */
export const statusOf = (headers: Headers) => Effect.map(list(headers), ({ status }) => status)
