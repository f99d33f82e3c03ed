/** Stored bytes at S3, to which clients are redirected. The URLs are made without a call to S3. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Http from "#src/edges/server/HttpServer.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as S3MediaDelivery from "#src/features/media/storage/S3MediaDelivery.ts"
import * as Environment from "#test/support/Environment.ts"
import * as MediaServices from "#test/support/MediaServices.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope } from "#test/support/src/edges/http/Calls.ts"
import * as FileCalls from "#test/support/src/edges/http/FileCalls.ts"

const s3 = S3MediaDelivery.layer({
  bucket: "files",
  endpoint: "http://s3.acme.dev",
  publicEndpoint: null,
  region: null,
  prefix: null,
  forcePathStyle: true
})

const credentials = Layer.effectDiscard(
  Environment.use({ AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" })
)

const redirecting = TestServer.layer({ serving: Http.layerNoServer.pipe(Layer.provide(s3)) }).pipe(
  Layer.provide(credentials)
)

const stored = Effect.flatMap(MediaStore, (store) =>
  store.put({ ...MediaServices.made, fileName: "a.html", contentType: "text/html", body: Buffer.from("a") })
)

layer(redirecting, { excludeTestServices: true })("media at S3", (it) => {
  it.effect.each(["GET", "HEAD"])("are the target of a redirect for %s that must not be cached", (method) =>
    Effect.gen(function* () {
      const { etag, id, url } = yield* stored
      const reply = yield* FileCalls.get(url, { "if-none-match": etag, range: "bytes=5-" }, method)
      assert.deepStrictEqual([reply.status, reply.text], [302, ""])
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      assert.strictEqual(reply.headers["content-length"], "0")
      const location = new URL(String(reply.headers["location"]))
      assert.strictEqual(location.origin + location.pathname, `http://s3.acme.dev/files/media/${id}`)
      assert.strictEqual(location.searchParams.get("response-content-type"), "text/html")
      assert.match(String(location.searchParams.get("response-content-disposition")), /^attachment; /)
    })
  )

  it.effect("that do not exist are not redirected", () =>
    Effect.gen(function* () {
      const { file_url } = yield* FileCalls.initiate()
      assertEnvelope(yield* FileCalls.get(file_url), 404)
      const { id, url } = yield* stored
      yield* (yield* MediaStore).remove(id, "requested")
      assertEnvelope(yield* FileCalls.get(url), 410)
    })
  )
})
