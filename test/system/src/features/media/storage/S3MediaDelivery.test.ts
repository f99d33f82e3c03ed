import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { FileId } from "#domain/Ids.ts"
import { type Delivered, MediaDelivery } from "#src/features/media/storage/MediaDelivery.ts"
import * as S3BlobStore from "#src/platform/blobs/s3/S3BlobStore.ts"
import * as S3MediaDelivery from "#src/features/media/storage/S3MediaDelivery.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as TestBucket from "#test/support/src/platform/blobs/s3/TestBucket.ts"

const id = Schema.decodeSync(FileId)("abcdefghijklmnopqrstuv_-")

const delivered: Delivered = {
  id,
  method: "GET",
  contentType: 'text/plain; charset="utf-8"',
  disposition: `attachment; filename="na_ve + 1 & 2.txt"; filename*=UTF-8''na%C3%AFve%20%2B%201%20%26%202.txt`
}

const layer = TestBucket.provide((options) =>
  Layer.merge(S3MediaDelivery.layer(options), S3BlobStore.layer(options))
)

const ask = (url: string | null, init: RequestInit) =>
  Effect.promise(async () => {
    const response = await fetch(url ?? "", init)
    return { status: response.status, headers: response.headers, body: await response.text() }
  })

describe.skipIf(S3Programs.isMissing)(S3Programs.named("S3MediaDelivery"), () => {
  it.live.each(["GET", "HEAD"] as const)("redirects a %s to an address with our own headers", (method) =>
    Effect.gen(function* () {
      yield* (yield* BlobStore).put(`media/${id}`, Buffer.from("some text"))
      const url = yield* (yield* MediaDelivery).urlOf({ ...delivered, method })
      const { body, headers, status } = yield* ask(url, { method })
      assert.strictEqual(status, 200)
      assert.strictEqual(body, method === "GET" ? "some text" : "")
      assert.strictEqual(headers.get("content-length"), "9")
      assert.strictEqual(headers.get("content-type"), delivered.contentType)
      assert.strictEqual(headers.get("content-disposition"), delivered.disposition)
      const part = yield* ask(url, { method, headers: { range: "bytes=5-" } })
      assert.strictEqual(part.status, 206)
      assert.strictEqual(part.headers.get("content-range"), "bytes 5-8/9")
    }).pipe(Effect.provide(layer))
  )

  it.live("returns URLs that are valid for five minutes, for one method, file and set of headers", () =>
    Effect.gen(function* () {
      yield* (yield* BlobStore).put(`media/${id}`, Buffer.from("some text"))
      const url = (yield* (yield* MediaDelivery).urlOf(delivered)) ?? ""
      assert.strictEqual(new URL(url).searchParams.get("X-Amz-Expires"), "300")
      assert.strictEqual((yield* ask(url, { method: "DELETE" })).status, 403)
      assert.strictEqual((yield* ask(url, { method: "PUT", body: "x" })).status, 403)
      assert.strictEqual((yield* ask(url.replace("text%2Fplain", "text%2Fhtml"), {})).status, 403)
      assert.strictEqual((yield* ask(url.replace(`/${id}`, `/${id.slice(1)}A`), {})).status, 403)
      assert.strictEqual((yield* ask(url, {})).status, 200)
    }).pipe(Effect.provide(layer))
  )
})
