/** Client calls: PUTs to the URLs that they received. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as http from "node:http"
import { Clock, Effect } from "effect"
import { AccountId, FileId, KeyId } from "#domain/Ids.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import { type UploadTarget, UploadStore } from "#src/features/media/storage/UploadStore.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"

export { pattern } from "#test/support/Pattern.ts"

const account = AccountId.make("acc_0123456789abcdef")
export const contentType = "image/png"

export const md5 = (bytes: Uint8Array): string => crypto.createHash("md5").update(bytes).digest("hex")
export const sha256 = (bytes: Uint8Array): string => crypto.createHash("sha256").update(bytes).digest("hex")

export interface Answered {
  readonly status: number
  /** With its quotes. */
  readonly etag: string | undefined
  readonly error?: string
  readonly reason?: string
}

export interface Sending {
  readonly request: http.ClientRequest
  readonly answered: Promise<Answered>
}

const hour = 3_600_000

/** An announced file. */
export const announce = Effect.fnUntraced(function* (
  options: { readonly size?: number; readonly uploadId?: string; readonly contentType?: string } = {}
) {
  const at = yield* Clock.currentTimeMillis
  const target: UploadTarget = {
    id: FileId.make(MediaUrl.makeId()),
    fileName: "a picture.png",
    contentType: options.contentType ?? contentType,
    size: options.size ?? null
  }
  const { execute } = yield* FileActors
  yield* execute(target.id, {
    _tag: "InitiateUpload",
    upload: {
      at,
      accountId: account,
      keyId: KeyId.make("key"),
      contentType: target.contentType,
      size: target.size,
      method:
        options.uploadId === undefined
          ? { _tag: "Single" }
          : { _tag: "Multipart", uploadId: options.uploadId },
      expiresAt: at + 24 * hour,
      payloads: { name: { hash: "hash", size: 2 } }
    }
  })
  return target
})

export const urlOf = Effect.fnUntraced(function* (target: UploadTarget) {
  const { putUrl } = yield* UploadStore
  return yield* putUrl(target, { expiresAt: (yield* Clock.currentTimeMillis) + hour })
})

export const partUrlOf = Effect.fnUntraced(function* (
  target: UploadTarget,
  uploadId: string,
  partNumber: number
) {
  const { partUrl } = yield* UploadStore
  return yield* partUrl(target, {
    uploadId,
    partNumber,
    expiresAt: (yield* Clock.currentTimeMillis) + hour
  })
})

/** Begins a PUT whose body the test sends. */
export const begin = (port: number, url: string, headers: http.OutgoingHttpHeaders): Sending => {
  const { pathname, search } = new URL(url)
  const request = http.request({ host: "127.0.0.1", port, method: "PUT", path: pathname + search })
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) request.setHeader(name, value)
  const answered = new Promise<Answered>((resolve, reject) => {
    request.on("error", reject)
    request.on("response", (response) => {
      let text = ""
      response.on("error", reject)
      response.on("data", (chunk: Buffer) => (text += chunk.toString()))
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          etag: response.headers.etag,
          ...(text !== "" && (JSON.parse(text) as object))
        })
      )
    })
  })
  answered.catch(() => {})
  request.flushHeaders()
  return { request, answered }
}

/** Sends `Content-Length` unless the headers say that the body is chunked. */
export const put = (
  port: number,
  url: string,
  body: Uint8Array,
  headers: http.OutgoingHttpHeaders = {}
): Effect.Effect<Answered> =>
  Effect.promise(() => {
    const { answered, request } = begin(port, url, {
      "content-type": contentType,
      ...(headers["transfer-encoding"] === undefined && { "content-length": body.length }),
      ...headers
    })
    request.end(body)
    return answered
  })

/** The files that the store is writing. */
export const underWay = (directory: string): ReadonlyArray<string> =>
  fs.readdirSync(`${directory}/blobs/~incoming`)

/** This process's descriptors of files under the directory, including removed ones. Only Linux reports them. */
export const openFiles = (directory: string): number =>
  process.platform !== "linux"
    ? 0
    : fs.readdirSync("/proc/self/fd").filter((descriptor) => {
        try {
          return fs.readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(`${directory}/blobs`)
        } catch {
          return false
        }
      }).length
