import * as crypto from "node:crypto"
import * as http from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { releaseConsumed } from "#src/platform/blobs/ReleaseConsumed.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import * as Puts from "#test/support/src/features/media/storage/local/Puts.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const KiB = 1024
const MiB = 1024 * KiB

describe("releaseConsumed", () => {
  it.effect("releases the memory of every chunk but the last one", () =>
    Effect.gen(function* () {
      const sent = Array.from({ length: 16 }, (_, seed) => Puts.pattern(256 * KiB, seed))
      const sums = sent.map(Puts.md5)
      let seen = 0
      // All of them in one array, as some sources have them.
      yield* Stream.runForEach(releaseConsumed(Stream.fromIterable(sent)), (chunk) =>
        Effect.sync(() => {
          assert.strictEqual(Puts.md5(chunk), sums[seen])
          seen++
          const kept = sent.map(({ length }) => length > 0)
          assert.deepStrictEqual(
            kept,
            sent.map((_, index) => index >= seen - 1)
          )
        })
      )
      assert.strictEqual(seen, 16)
    })
  )

  it.effect("does not release a chunk that shares its memory, or the last one of any size", () =>
    Effect.gen(function* () {
      const shared = Puts.pattern(4 * MiB)
      const large = Puts.pattern(3 * MiB)
      yield* Stream.runDrain(
        releaseConsumed(Stream.make(shared.subarray(0, 2 * MiB), shared.subarray(2 * MiB), large))
      )
      assert.strictEqual(shared.length, 4 * MiB)
      assert.strictEqual(large.length, 3 * MiB)
    })
  )

  it.live("sends every byte of a file to clients that read slowly", () => {
    const server = http.createServer()
    const layer = TempDirectory.provide((root) =>
      Layer.merge(
        FileBlobStore.layer({ root, isShared: false }),
        NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" })
      )
    )
    return Effect.gen(function* () {
      const blobs = yield* BlobStore
      const bytes = Puts.pattern(12 * MiB)
      yield* blobs.put("file", bytes)
      yield* HttpServer.serveEffect(
        Effect.map(Effect.orDie(blobs.get("file")), (blob) =>
          HttpServerResponse.stream(releaseConsumed(blob?.body ?? Stream.empty))
        )
      )
      const address = server.address()
      const port = typeof address === "object" ? address?.port : undefined
      const read = (isSlow: boolean) =>
        Effect.callback<string>((resume) => {
          const hash = crypto.createHash("md5")
          http.get({ host: "127.0.0.1", port }, (response) => {
            response.on("data", (chunk: Buffer) => {
              hash.update(chunk)
              if (!isSlow) return
              response.pause()
              setImmediate(() => setImmediate(() => response.resume()))
            })
            response.on("end", () => resume(Effect.succeed(hash.digest("hex"))))
          })
        })
      const sums = yield* Effect.all([read(true), read(false), read(true)], { concurrency: "unbounded" })
      for (const sum of sums) assert.strictEqual(sum, Puts.md5(bytes))
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})
