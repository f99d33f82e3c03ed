import { once } from "node:events"
import * as http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { S3Bucket } from "#src/platform/blobs/s3/S3Bucket.ts"
import * as S3Multipart from "#src/platform/blobs/s3/S3Multipart.ts"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as TestBucket from "#test/support/src/platform/blobs/s3/TestBucket.ts"

const noSuchUpload = "<Error><Code>NoSuchUpload</Code><Message>It does not exist.</Message></Error>"

/**
 * A server that knows no upload and reports this for every object, as AWS answers a repeated completion and the test server does
 * not. Returns its port.
 */
const server = (head: http.OutgoingHttpHeaders | null): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = http.createServer((request, response) => {
      if (request.method === "HEAD") response.writeHead(head === null ? 404 : 200, head ?? {}).end()
      else response.writeHead(404, { "content-type": "application/xml" }).end(noSuchUpload)
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
      () =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
    const address = server.address()
    return address !== null && typeof address === "object" ? address.port : 0
  })

const complete = (head: http.OutgoingHttpHeaders | null) =>
  Effect.gen(function* () {
    const options = TestBucket.at(TestBucket.elsewhere, yield* server(head))
    return yield* Effect.gen(function* () {
      const multipart = S3Multipart.make(yield* S3Bucket)
      const parts = [
        { partNumber: 1, etag: "a", size: 70 },
        { partNumber: 2, etag: "b", size: 30 }
      ]
      return yield* multipart.complete({ key: "media/a", uploadId: "gone" }, parts)
    }).pipe(Effect.provide(S3Bucket.layer(options)))
  }).pipe(Effect.scoped)

describe("S3Multipart.complete of an upload that S3 no longer knows", () => {
  it.live("returns the object with the same number of parts and bytes", () =>
    Effect.gen(function* () {
      const found = yield* complete({ "content-length": 100, etag: '"0123-2"' })
      assert.deepStrictEqual(found, { size: 100, etag: "0123-2", contentType: undefined })
    })
  )

  it.live.each([
    { there: "nothing", head: null },
    { there: "an object of other bytes", head: { "content-length": 101, etag: '"0123-2"' } },
    { there: "an object of other parts", head: { "content-length": 100, etag: '"0123-12"' } },
    { there: "an object of one piece", head: { "content-length": 100, etag: '"01232"' } }
  ])("fails when there is $there", ({ head }) =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(complete(head))
      assert.strictEqual(failed.reason, "could not put the parts of an upload together: S3 refuses it")
    })
  )
})

describe.skipIf(S3Programs.isMissing)(S3Programs.named("S3Multipart.list"), () => {
  it.live("goes through all answers of S3", () =>
    Effect.gen(function* () {
      const multipart = S3Multipart.make(yield* S3Bucket)
      const upload = { key: "media/a", uploadId: yield* multipart.begin("media/a") }
      const numbers = [1, 2, 3, 5, 9]
      yield* Effect.forEach(numbers, (number) => multipart.putPart(upload, number, Buffer.from("x")))
      const found = yield* multipart.list(upload, 2)
      assert.deepStrictEqual(
        found.map(({ partNumber }) => partNumber),
        numbers
      )
    }).pipe(Effect.provide(TestBucket.layer))
  )
})
