/** The contract's calls ("Uploads"), made by curl. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Schema } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import { curl, type Reply } from "./Curl.ts"
import { UploadServer } from "./UploadServer.ts"

export const MiB = 1024 * 1024

export interface Announced {
  readonly file_name: string
  readonly content_type: string
  readonly size?: number
}

const Single = Schema.fromJsonString(Schema.Struct({ upload_url: Schema.String, file_url: Schema.String }))
const Multipart = Schema.fromJsonString(
  Schema.Struct({ fileUrl: Schema.String, uploadId: Schema.String, uploadKey: Schema.String })
)
const PartUrl = Schema.fromJsonString(Schema.Struct({ presignedUrl: Schema.String }))

export type Upload = typeof Multipart.Type

export interface Part {
  readonly partNumber: number
  readonly etag: string
}

const decoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownSync(schema)
  return ({ text }: Reply): S["Type"] => decode(text)
}

const decodeSingle = decoder(Single)
const decodeMultipart = decoder(Multipart)
const decodePartUrl = decoder(PartUrl)

const jsonHeader = ["--header", "Content-Type: application/json"]

const keyHeader = (key: string) => ["--header", `Authorization: Key ${key}`]

/** With a key of the server's first account, unless another is given. */
export const get = (target: string, key = ServerProcess.apiKey) =>
  Effect.flatMap(UploadServer, ({ url }) => curl(...keyHeader(key), url + target))

export const remove = (target: string, key = ServerProcess.apiKey) =>
  Effect.flatMap(UploadServer, ({ url }) => curl("--request", "DELETE", ...keyHeader(key), url + target))

export const post = (target: string, body: unknown, key = ServerProcess.apiKey) =>
  Effect.flatMap(UploadServer, ({ url }) =>
    // Bodies may be longer than a command line.
    Effect.flatMap(scratchFile(JSON.stringify(body)), (file) =>
      curl(...keyHeader(key), ...jsonHeader, "--data-binary", `@${file}`, url + target)
    )
  )

export const initiate = (announced: Announced) =>
  Effect.map(post("/storage/upload/initiate", announced), decodeSingle)

export const initiateMultipart = (announced: Announced) =>
  Effect.map(post("/storage/upload/initiate-multipart", announced), decodeMultipart)

const queryOf = ({ uploadId, uploadKey }: Pick<Upload, "uploadId" | "uploadKey">) =>
  new URLSearchParams({ uploadKey, uploadId }).toString()

type Named = Pick<Upload, "uploadId" | "uploadKey">

export const getPartUrl = (upload: Named, partNumber: number, key?: string) =>
  get(`/storage/upload/multipart-url?${queryOf(upload)}&partNumber=${partNumber}`, key)

export const partUrl = (upload: Upload, partNumber: number) =>
  Effect.map(getPartUrl(upload, partNumber), (reply) => decodePartUrl(reply).presignedUrl)

export const listParts = (upload: Named, key?: string) => get(`/storage/upload/parts?${queryOf(upload)}`, key)

export const complete = ({ uploadId, uploadKey }: Named, parts: ReadonlyArray<Part>, key?: string) =>
  post("/storage/upload/complete", { uploadId, uploadKey, parts }, key)

let scratchFiles = 0

/** In the server's data folder, which is removed with it. */
const scratchFile = (bytes: string | Uint8Array) =>
  Effect.map(UploadServer, ({ place }) => {
    const file = path.join(place.dataDirectory, `scratch-${++scratchFiles}`)
    fs.writeFileSync(file, bytes)
    return file
  })

const typeHeader = (contentType: string | undefined) =>
  contentType === undefined ? [] : ["--header", `Content-Type: ${contentType}`]

/** A PUT by curl, with the type as the only additional header. */
export const put = (url: string, bytes: string | Uint8Array, contentType?: string) =>
  Effect.flatMap(scratchFile(bytes), (file) => curl(...typeHeader(contentType), "--upload-file", file, url))

/** The whole flow of a part. Returns its ETag. */
export const putPart = Effect.fnUntraced(function* (
  upload: Upload,
  partNumber: number,
  bytes: string | Uint8Array
) {
  const reply = yield* put(yield* partUrl(upload, partNumber), bytes)
  return { partNumber, etag: etagOf(reply) } satisfies Part
})

/** Without quotes, as the contract requires. */
export const etagOf = ({ headers }: Pick<Reply, "headers">): string =>
  (headers["etag"] ?? "").replaceAll('"', "")

export const idOf = (fileUrl: string): string => new URL(fileUrl).pathname.split("/")[2] ?? ""

export const jsonOf = ({ text }: Reply): unknown => JSON.parse(text)

export const md5 = (bytes: string | Uint8Array): string => crypto.hash("md5", bytes)
export const sha256 = (bytes: string | Uint8Array): string => crypto.hash("sha256", bytes)

/** The keys of everything in the store for a file. */
export const stored = (fileUrl: string) =>
  Effect.flatMap(UploadServer, ({ place }) => place.keys(`media/${idOf(fileUrl)}`))
