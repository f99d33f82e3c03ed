/** Calls of the file routes, as clients make them. */
import * as crypto from "node:crypto"
import { Effect, Schema } from "effect"
import { type Reply, send } from "#test/support/HttpProbe.ts"
import { TestServer } from "#test/support/TestServer.ts"
import { call, jsonHeaders } from "./Calls.ts"

type Headers = Readonly<Record<string, string>>

const Url = Schema.String.pipe(Schema.brand("Url"))

const decodeSingle = Schema.decodeUnknownSync(Schema.Struct({ upload_url: Url, file_url: Url }))
const decodeMultipart = Schema.decodeUnknownSync(
  Schema.Struct({ fileUrl: Url, uploadId: Schema.String, uploadKey: Schema.String })
)
const decodePart = Schema.decodeUnknownSync(Schema.Struct({ presignedUrl: Url }))

export type Multipart = ReturnType<typeof decodeMultipart>

export const cat = { file_name: "cat.png", content_type: "image/png" }

const post = (path: string, body: unknown, headers: Headers) =>
  call({ method: "POST", path, headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body) })

export const postInitiate = (body: unknown, headers: Headers = {}) =>
  post("/storage/upload/initiate", body, headers)

export const postMultipart = (body: unknown, headers: Headers = {}) =>
  post("/storage/upload/initiate-multipart", body, headers)

export const initiate = (body: unknown = cat, headers: Headers = {}) =>
  Effect.map(postInitiate(body, headers), ({ json }) => decodeSingle(json))

export const initiateMultipart = (body: unknown = cat, headers: Headers = {}) =>
  Effect.map(postMultipart(body, headers), ({ json }) => decodeMultipart(json))

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** To a URL of the server, without a key. */
export const put = (
  url: string,
  body: string | Uint8Array,
  headers: Headers = { "content-type": "image/png" }
) => Effect.flatMap(TestServer, ({ port }) => send(port, { method: "PUT", path: pathOf(url), headers, body }))

/** From a URL of the server, without a key. */
export const get = (url: string, headers: Headers = {}, method = "GET") =>
  Effect.flatMap(TestServer, ({ port }) => send(port, { method, path: pathOf(url), headers }))

/** An uploaded file: its URL and its id. */
export const uploaded = Effect.fnUntraced(function* (
  bytes: string | Uint8Array,
  { body = cat, headers = {} }: { readonly body?: typeof cat; readonly headers?: Headers } = {}
) {
  const { file_url: url, upload_url } = yield* initiate(body, headers)
  yield* put(upload_url, bytes, { "content-type": body.content_type })
  return { url, id: idOf(url) }
})

export const idOf = (url: string): string => new URL(url).pathname.split("/")[2] ?? ""

const queryOf = ({ uploadId, uploadKey }: Multipart): string =>
  `uploadKey=${encodeURIComponent(uploadKey)}&uploadId=${encodeURIComponent(uploadId)}`

export const getPartUrl = (upload: Multipart, partNumber: number | string, headers: Headers = {}) =>
  call({ path: `/storage/upload/multipart-url?${queryOf(upload)}&partNumber=${partNumber}`, headers })

export const partUrl = (upload: Multipart, partNumber: number) =>
  Effect.map(getPartUrl(upload, partNumber), ({ json }) => decodePart(json).presignedUrl)

/** Uploads a part and returns its ETag. */
export const putPart = Effect.fnUntraced(function* (
  upload: Multipart,
  partNumber: number,
  bytes: string | Uint8Array
) {
  const reply = yield* put(yield* partUrl(upload, partNumber), bytes, {})
  return { partNumber, etag: etagOf(reply) }
})

/** Without quotes, as the contract requires. */
const etagOf = ({ headers }: Reply): string => String(headers["etag"]).replaceAll('"', "")

export const listParts = (upload: Multipart, headers: Headers = {}) =>
  call({ path: `/storage/upload/parts?${queryOf(upload)}`, headers })

export const complete = (
  { uploadId, uploadKey }: Pick<Multipart, "uploadId" | "uploadKey">,
  parts: unknown,
  headers: Headers = {}
) => post("/storage/upload/complete", { uploadId, uploadKey, parts }, headers)

export const md5 = (bytes: string | Uint8Array): string => crypto.hash("md5", bytes)
export const sha256 = (bytes: string | Uint8Array): string => crypto.hash("sha256", bytes)
