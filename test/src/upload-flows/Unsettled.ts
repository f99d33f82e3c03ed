/** Uploads that are under way while the server dies, and what must be true of them after it. */
import * as crypto from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as Calls from "./Calls.ts"
import { curl } from "./Curl.ts"
import * as RawPut from "./RawPut.ts"
import { UploadServer } from "./UploadServer.ts"

export interface Unsettled {
  readonly fileUrl: string
  readonly bytes: Buffer
  /** Status of the first try; `null` when nobody was left to give one. */
  readonly answered: Promise<number | null>
  /** Tries again, as a client that had no answer does; its status. */
  readonly retry: Effect.Effect<number, never, UploadServer>
  /** Blobs that the file has in the end, a manifest of parts among them. */
  readonly blobs: number
}

const binary = { file_name: "a.bin", content_type: "application/octet-stream" }

/** A PUT of so many bytes, of which so many are sent now, and the others when `finish` is run. */
export const single = Effect.fnUntraced(function* (length: number, sent: number) {
  const bytes = crypto.randomBytes(length)
  const { file_url, upload_url } = yield* Calls.initiate({ ...binary, size: length })
  const { send, status } = yield* RawPut.begin(upload_url, binary.content_type, length)
  yield* send(bytes.subarray(0, sent))
  const retry = Effect.map(Calls.put(upload_url, bytes, binary.content_type), ({ status }) => status)
  const unsettled: Unsettled = { fileUrl: file_url, bytes, answered: status, retry, blobs: 1 }
  return { unsettled, finish: send(bytes.subarray(sent)) }
})

const postComplete = async (url: string, body: unknown): Promise<number | null> => {
  try {
    const response = await fetch(`${url}/storage/upload/complete`, {
      method: "POST",
      headers: { ...ServerProcess.authorization, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return response.status
  } catch {
    return null
  }
}

/** All parts have come; `finish` completes. The first one came twice. */
export const inParts = Effect.fnUntraced(function* (lengths: ReadonlyArray<number>) {
  const parts = lengths.map((length) => crypto.randomBytes(length))
  const upload = yield* Calls.initiateMultipart(binary)
  yield* Calls.putPart(upload, 1, "replaced before it counts")
  const named = yield* Effect.forEach(parts, (part, index) => Calls.putPart(upload, index + 1, part), {
    concurrency: "unbounded"
  })
  const { uploadId, uploadKey } = upload
  const { place, url } = yield* UploadServer
  const answer = Promise.withResolvers<number | null>()
  const finish = Effect.sync(() =>
    answer.resolve(postComplete(url, { uploadId, uploadKey, parts: named.toReversed() }))
  )
  const retry = Effect.map(Calls.complete(upload, named), ({ status }) => status)
  const unsettled: Unsettled = {
    fileUrl: upload.fileUrl,
    bytes: Buffer.concat(parts),
    answered: answer.promise,
    retry,
    blobs: place.store === "disk" ? parts.length + 1 : 1
  }
  return { unsettled, finish }
})

const isWhole = Effect.fnUntraced(function* ({ bytes, fileUrl }: Unsettled) {
  const file = yield* curl(fileUrl)
  if (file.status === 404) return false
  assert.strictEqual(file.status, 200, file.text)
  assert.isTrue(file.bytes.equals(bytes), "what is there is whole")
  return true
})

/** Whether it was there before it was tried again. What was acknowledged is; after another try everything is. */
export const check = Effect.fnUntraced(function* (unsettled: Unsettled) {
  const { answered, blobs, fileUrl, retry } = unsettled
  const status = yield* Effect.promise(() => answered)
  const isThere = yield* isWhole(unsettled)
  if (status !== null) {
    assert.strictEqual(status, 200)
    assert.isTrue(isThere, "what was acknowledged is there")
  }
  assert.include(isThere ? [200, 409] : [200], yield* retry)
  assert.isTrue(yield* isWhole(unsettled))
  assert.lengthOf(yield* Calls.stored(fileUrl), blobs)
  return isThere
})
