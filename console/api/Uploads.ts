/** Uploads a file to the service with progress: in one PUT, or in parts, some at once, each repeated when it fails. */
import { ApiError, unreachable } from "./ApiError.ts"
import { call } from "./Client.ts"

export interface Uploading {
  readonly signal: AbortSignal
  /** @param fraction from 0 to 1. */
  readonly onProgress: (fraction: number) => void
}

/** Larger files go in parts, so that an interruption costs one part. */
const largestPut = 64 * 1_048_576

const usualPart = 16 * 1_048_576
const mostParts = 10_000

/** Parts on their way at once. */
const lanes = 3

/** Files on their way at once. Others wait, because hundreds may be dropped together. */
const mostFiles = 3

const mostTries = 5

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      reject(new DOMException("The upload was cancelled.", "AbortError"))
    })
  })

interface Put {
  readonly url: string
  readonly body: Blob
  readonly contentType: string
  readonly signal: AbortSignal
  readonly onSent: (bytes: number) => void
}

/** What a presigned URL refuses with; S3 says it in XML. */
const refusalOf = ({ response, status }: XMLHttpRequest): ApiError => {
  const message = /"error"\s*:\s*"([^"]+)"|<Message>([^<]+)</.exec(String(response))
  return new ApiError({
    message: message?.[1] ?? message?.[2] ?? `The upload was refused (${status}).`,
    status,
    code: null,
    details: null,
    issues: [],
    requestId: null,
    retryAfter: null
  })
}

/** `fetch` does not tell how much it has sent. @returns the `ETag` without quotes; empty if it is not readable. */
const put = ({ body, contentType, onSent, signal, url }: Put): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    signal.addEventListener("abort", abort)
    request.upload.addEventListener("progress", ({ loaded }) => onSent(loaded))
    request.addEventListener("loadend", () => signal.removeEventListener("abort", abort))
    request.addEventListener("abort", () =>
      reject(new DOMException("The upload was cancelled.", "AbortError"))
    )
    request.addEventListener("error", () => reject(unreachable()))
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300)
        resolve((request.getResponseHeader("etag") ?? "").replaceAll('"', ""))
      else reject(refusalOf(request))
    })
    request.open("PUT", url)
    request.setRequestHeader("content-type", contentType)
    request.send(body)
  })

const passes = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500)

const repeatedly = async <A>(signal: AbortSignal, attempt: () => Promise<A>): Promise<A> => {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (signal.aborted || tries === mostTries || !passes(error)) throw error
      await pause(500 * 2 ** tries, signal)
    }
  }
}

const inOnePut = async (
  file: File,
  contentType: string,
  { onProgress, signal }: Uploading
): Promise<string> => {
  const payload = { file_name: file.name, content_type: contentType, size: file.size }
  const { file_url, upload_url } = await call("initiateUpload", { payload, signal })
  const onSent = (bytes: number) => onProgress(file.size === 0 ? 1 : bytes / file.size)
  await repeatedly(signal, () => put({ url: upload_url, body: file, contentType, signal, onSent }))
  return file_url
}

const inParts = async (
  file: File,
  contentType: string,
  { onProgress, signal }: Uploading
): Promise<string> => {
  const payload = { file_name: file.name, content_type: contentType, size: file.size }
  const { uploadId, uploadKey } = await call("initiateMultipartUpload", { payload, signal })
  const partSize = Math.max(usualPart, Math.ceil(file.size / mostParts))
  const count = Math.ceil(file.size / partSize)
  const sent = new Map<number, number>()
  const report = (partNumber: number, bytes: number) => {
    sent.set(partNumber, bytes)
    onProgress([...sent.values()].reduce((sum, bytes) => sum + bytes, 0) / file.size)
  }

  const sendPart = (partNumber: number) =>
    repeatedly(signal, async () => {
      const query = { uploadKey, uploadId, partNumber: String(partNumber) }
      const { presignedUrl } = await call("getPartUrl", { query, signal })
      const body = file.slice((partNumber - 1) * partSize, partNumber * partSize)
      const etag = await put({
        url: presignedUrl,
        body,
        contentType,
        signal,
        onSent: (bytes) => report(partNumber, bytes)
      })
      return { partNumber, etag }
    })

  const parts: Array<{ readonly partNumber: number; readonly etag: string }> = []
  let next = 1
  const lane = async () => {
    while (next <= count) parts.push(await sendPart(next++))
  }
  try {
    await Promise.all(Array.from({ length: Math.min(lanes, count) }, lane))
    const { fileUrl } = await call("completeUpload", { payload: { uploadId, uploadKey, parts }, signal })
    return fileUrl
  } catch (error) {
    // The other lanes begin no further part.
    next = count + 1
    // The parts that arrived are dropped; without this call they are, too, after some days.
    if (signal.aborted) void call("deleteFile", { params: { fileId: uploadKey } }).catch(() => undefined)
    throw error
  }
}

let filesUnderWay = 0
const waiting: Array<() => void> = []

/** Runs `send` when it is its turn. */
const inTurn = async <A>(signal: AbortSignal, send: () => Promise<A>): Promise<A> => {
  if (filesUnderWay < mostFiles) filesUnderWay++
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    signal.throwIfAborted()
    return await send()
  } finally {
    const next = waiting.shift()
    if (next === undefined) filesUnderWay--
    else next()
  }
}

/** @returns the file's public URL, which models take as input. Throws an `ApiError`, or an `AbortError` when it is cancelled. */
export const upload = (file: File, uploading: Uploading): Promise<string> => {
  const contentType = file.type === "" ? "application/octet-stream" : file.type
  const send = file.size <= largestPut ? inOnePut : inParts
  return inTurn(uploading.signal, () => send(file, contentType, uploading))
}
