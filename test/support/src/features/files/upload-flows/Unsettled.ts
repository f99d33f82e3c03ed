/** Uploads in progress when the server dies, and their invariants afterwards. */
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
  /** The status of the first try; `null` without an answer. */
  readonly answered: Promise<number | null>
  /** Tries again, as a client without an answer does. Returns the status. */
  readonly retry: Effect.Effect<number, never, UploadServer>
  /** The final number of the file's blobs, including a manifest of parts. */
  readonly blobs: number
}

const binary = { file_name: "a.bin", content_type: "application/octet-stream" }

/** A PUT of this size, of which a part is sent now and the rest when `finish` runs. */
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

/** All parts have arrived, the first one twice; `finish` completes. */
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

/** Whether it existed before the second try. Acknowledged uploads exist; after a second try all exist. */
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
