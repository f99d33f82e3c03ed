/** Bytes that are replaced between the lookup of a file and the read. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { MediaDelivery } from "#src/features/media/storage/MediaDelivery.ts"
import * as Http from "#src/edges/server/HttpServer.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as MediaServices from "#test/support/MediaServices.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope } from "#test/support/src/edges/http/Calls.ts"
import * as FileCalls from "#test/support/src/edges/http/FileCalls.ts"

const file = { ...MediaServices.made, fileName: "a.png", contentType: "image/png" }

/** Called in between, and slow. */
const replacing = Layer.effect(
  MediaDelivery,
  Effect.map(MediaStore, (store) =>
    MediaDelivery.of({
      urlOf: ({ id }) =>
        store.put({ ...file, id, body: Buffer.from("news") }).pipe(Effect.as(null), Effect.orDie)
    })
  )
)

const stored = Effect.flatMap(MediaStore, (store) => store.put({ ...file, body: Buffer.from("the old one") }))

const server = TestServer.layer({ serving: Http.layerNoServer.pipe(Layer.provide(replacing)) })

layer(server, { excludeTestServices: true })("a file that is replaced during a read", (it) => {
  it.effect("is answered with the headers of the returned bytes", () =>
    Effect.gen(function* () {
      const { etag, url } = yield* stored
      const reply = yield* FileCalls.get(url)
      assert.deepStrictEqual([reply.status, reply.text], [200, "news"])
      assert.strictEqual(reply.headers["content-length"], "4")
      assert.strictEqual(reply.headers["etag"], `"${FileCalls.sha256("news")}"`)
      assert.notStrictEqual(reply.headers["etag"], etag)
    })
  )

  it.effect("has only ranges of the bytes that If-Range names", () =>
    Effect.gen(function* () {
      const { etag, url } = yield* stored
      const reply = yield* FileCalls.get(url, { range: "bytes=0-1", "if-range": etag })
      assert.deepStrictEqual([reply.status, reply.text], [200, "news"])
    })
  )

  it.effect("has ranges of its current bytes", () =>
    Effect.gen(function* () {
      const part = yield* FileCalls.get((yield* stored).url, { range: "bytes=-2" })
      assert.deepStrictEqual([part.status, part.text], [206, "ws"])
      assert.strictEqual(part.headers["content-range"], "bytes 2-3/4")
      const none = yield* FileCalls.get((yield* stored).url, { range: "bytes=2-" })
      assert.deepStrictEqual([none.status, none.text], [206, "ws"])
      const past = yield* FileCalls.get((yield* stored).url, { range: "bytes=6-" })
      assertEnvelope(past, 416)
      assert.strictEqual(past.headers["content-range"], "bytes */4")
    })
  )
})
