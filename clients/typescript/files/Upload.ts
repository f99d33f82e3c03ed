/** Uploads of files: in one PUT, or in parts that are sent in parallel (docs/apps/uploads.md). */
import { UploadCompletedError, UrlExpiredError } from "../Errors.ts"
import { segment } from "../Addresses.ts"
import type { Http } from "../Http.ts"
import type { CallOptions, CallScope } from "../Scope.ts"
import type * as Wire from "../Wire.ts"
import { sendOf } from "./Put.ts"
import type { Source } from "./Source.ts"

/** An upload in parts, with which a later call goes on. */
export interface UploadRef {
  readonly uploadId: string
  readonly uploadKey: string
}

export interface UploadOptions extends CallOptions {
  /** Default: the name of the `File`, or `file`. */
  readonly fileName?: string | undefined
  /** Media type. Default: that of the `Blob`, or `application/octet-stream`. */
  readonly contentType?: string | undefined
  /** Bytes of a part, at least 5 MiB; larger data goes in parts. Default: parts of 16 MiB above 64 MiB. */
  readonly partSize?: number | undefined
  /** Parts on their way at once. Default: 3. */
  readonly parallel?: number | undefined
  /**
   * The MD5 of bytes, in hex, which Web Crypto does not have. With it the server checks each PUT, and parts that have arrived are sent
   * again if their bytes are others.
   */
  readonly md5?: ((bytes: Blob) => Promise<string>) | undefined
  /**
   * Asks for the URLs of one PUT in place of the client. A page asks its own server so, because a token may not begin uploads
   * (docs/apps/browsers.md). There are no parts then.
   */
  readonly initiate?: ((file: Wire.UploadBody) => Promise<Wire.Upload>) | undefined
  /** Goes on with an upload in parts that was interrupted: parts that have arrived are not sent again. */
  readonly resume?: UploadRef | undefined
  /** Called when an upload in parts has begun, before its first part. Keep the ids to go on after an interruption. */
  readonly onBegin?: ((upload: UploadRef) => void | Promise<void>) | undefined
  /** Bytes on their way or there, and of all; fewer than before when a part is sent again. */
  readonly onProgress?: ((sentBytes: number, totalBytes: number) => void) | undefined
}

const MiB = 2 ** 20
const largestPut = 64 * MiB
const usualPart = 16 * MiB
const leastPart = 5 * MiB
const mostParts = 10_000

/** A presigned URL is good for an hour. How often one PUT gets another. */
const mostRenewals = 5

/** Bytes per ms of the slowest connection that is not given up. */
const slowest = 16

interface Upload {
  readonly http: Http
  readonly source: Source
  readonly contentType: string
  readonly fileName: string
  readonly options: UploadOptions
  readonly scope: CallScope
}

const base64Of = (hex: string) =>
  btoa(hex.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16))))

/** Asks for a URL, sends the bytes to it, and again if it has expired meanwhile. Gives the `ETag` without quotes. */
const put = async (
  { contentType, http, scope }: Upload,
  body: Blob,
  md5: string | undefined,
  urlOf: () => Promise<string>,
  onSent: (bytes: number) => void
): Promise<string> => {
  const headers = { "content-type": contentType, "content-md5": md5 && base64Of(md5) }
  for (let renewals = 0; ; renewals++) {
    const path = await urlOf()
    try {
      const answered = await http.headers(
        {
          method: "PUT",
          host: "none",
          path,
          headers,
          held: body.size / slowest,
          send: sendOf(http.ownFetch, { body, onSent })
        },
        scope
      )
      onSent(body.size)
      return (answered.get("etag") ?? "").replace(/^(?:W\/)?"(.*)"$/, "$1")
    } catch (error) {
      if (!(error instanceof UrlExpiredError) || renewals === mostRenewals) throw error
    }
  }
}

const announced = ({ contentType, fileName, source }: Upload): Wire.UploadBody => ({
  file_name: fileName,
  content_type: contentType,
  size: source.size
})

const initiate = <A>(upload: Upload, path: string): Promise<A> => {
  const exchange = { method: "POST", path: `/storage/upload/${path}`, json: announced(upload) }
  return upload.http.json<A>(exchange, upload.scope)
}

const inOnePut = async (upload: Upload): Promise<string> => {
  const { http, options, scope, source } = upload
  let fileUrl = ""
  const urlOf = async () => {
    // The file of a URL that has expired would count towards the quota for an hour. A page may not delete it.
    const [, id] = /\/media\/([^/]+)\//.exec(fileUrl) ?? []
    if (id) await http.json({ method: "DELETE", path: `/files/${segment(id)}` }, scope).catch(() => {})
    const begun = await (options.initiate?.(announced(upload)) ?? initiate<Wire.Upload>(upload, "initiate"))
    fileUrl = begun.file_url
    return begun.upload_url
  }
  const body = await source.part(0, source.size)
  const md5 = await options.md5?.(body)
  await put(upload, body, md5, urlOf, (bytes) => options.onProgress?.(bytes, source.size))
  return fileUrl
}

const arrived = async ({ http, scope, source }: Upload, ref: UploadRef): Promise<Wire.UploadInParts> => {
  const { uploadId, uploadKey } = ref
  const found = await http.json<Wire.UploadInParts>(
    { path: "/storage/upload/parts", query: { uploadKey, uploadId } },
    scope
  )
  if (found.size !== null && found.size !== source.size)
    throw new RangeError(`The upload has ${found.size} bytes, the data ${source.size}`)
  return found
}

/** Parts of an upload that goes on are as large as those that have arrived. */
const partSizeOf = (size: number, wanted: number, parts: Wire.UploadInParts["parts"]): number => {
  const usual = Math.max(wanted, leastPart, Math.ceil(size / mostParts / MiB) * MiB)
  const fits = parts.every((part) => part.size === Math.min(usual, size - (part.partNumber - 1) * usual))
  return fits ? usual : Math.max(...parts.map((part) => part.size))
}

const inParts = async (upload: Upload): Promise<string> => {
  const { http, options, scope, source } = upload
  const { size } = source
  const { md5, onBegin, onProgress, parallel = 3, resume } = options
  const { parts, uploadId, uploadKey } = resume
    ? { ...resume, ...(await arrived(upload, resume)) }
    : { ...(await initiate<Wire.MultipartUpload>(upload, "initiate-multipart")), parts: [] }
  await onBegin?.({ uploadId, uploadKey })

  const partSize = partSizeOf(size, options.partSize ?? usualPart, parts)
  const endOf = (partNumber: number) => Math.min(partNumber * partSize, size)
  let total = 0
  const sent: Array<number> = []
  const report = (partNumber: number, bytes: number) => {
    total += bytes - (sent[partNumber] ?? 0)
    sent[partNumber] = bytes
    onProgress?.(total, size)
  }
  const etags = new Map<number, string>()
  const keep = ({ etag, partNumber, size }: (typeof parts)[number]) => {
    etags.set(partNumber, etag)
    report(partNumber, size)
  }

  const send = async (partNumber: number) => {
    const start = endOf(partNumber - 1)
    const end = endOf(partNumber)
    const stored = parts.find((part) => part.partNumber === partNumber && part.size === end - start)
    if (stored && !md5) return keep(stored)
    const body = await source.part(start, end)
    const digest = await md5?.(body)
    if (stored && stored.etag === digest) return keep(stored)
    const query = { uploadKey, uploadId, partNumber }
    const urlOf = async () =>
      (await http.json<Wire.PartUrl>({ path: "/storage/upload/multipart-url", query }, scope)).presignedUrl
    const onSent = (bytes: number) => report(partNumber, bytes)
    etags.set(partNumber, await put(upload, body, digest, urlOf, onSent))
  }
  let next = 1
  const lane = async () => {
    while (next === 1 || endOf(next - 1) < size) await send(next++)
  }
  await Promise.all(Array.from({ length: parallel }, lane))
  // A page cannot read the `ETag` of a bucket that does not expose it.
  if ([...etags.values()].includes("")) {
    for (const { etag, partNumber } of (await arrived(upload, { uploadId, uploadKey })).parts)
      etags.set(partNumber, etag)
  }
  const named = [...etags].map(([partNumber, etag]): Wire.Part => ({ partNumber, etag }))
  const json = { uploadId, uploadKey, parts: named }
  const completing = { method: "POST", path: "/storage/upload/complete", json }
  return (await http.json<Wire.CompletedUpload>(completing, scope)).fileUrl
}

/** @returns the URL of the file. When one part fails, the others end with `scope`. */
export const run = async (
  http: Http,
  source: Source,
  options: UploadOptions,
  scope: CallScope
): Promise<string> => {
  const fileName = options.fileName ?? source.name ?? "file"
  const contentType = options.contentType || source.type || "application/octet-stream"
  const upload: Upload = { http, source, contentType, fileName, options, scope }
  const isSingle = options.initiate || (!options.resume && source.size <= (options.partSize ?? largestPut))
  try {
    // Neither the source nor the caller's own functions heed the signal.
    return await scope.race(isSingle ? inOnePut(upload) : inParts(upload))
  } catch (error) {
    // It was completed before, and the answer to that was lost.
    const fileUrl = error instanceof UploadCompletedError && error.details["fileUrl"]
    if (typeof fileUrl === "string") return fileUrl
    throw error
  } finally {
    source.close?.()
  }
}
