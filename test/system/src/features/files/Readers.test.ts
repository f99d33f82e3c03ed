/** Slow readers and readers that disconnect: the others get their bytes completely. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as http from "node:http"
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import * as Calls from "#test/support/src/features/files/upload-flows/Calls.ts"
import { curl } from "#test/support/src/features/files/upload-flows/Curl.ts"
import {
  overBothStores,
  running,
  UploadServer
} from "#test/support/src/features/files/upload-flows/UploadServer.ts"

const binary = { file_name: "a.bin", content_type: "application/octet-stream" }

/** Far more than the buffers of a connection hold. */
const bytes = crypto.randomBytes(14 * Calls.MiB)

/** More than a server's default number of connections to S3. */
const leaving = 60

const uploaded = Effect.gen(function* () {
  const { file_url, upload_url } = yield* Calls.initiate(binary)
  assert.strictEqual((yield* Calls.put(upload_url, bytes, binary.content_type)).status, 200)
  return file_url
})

/** Reads the first bytes and disconnects. */
const leave = (url: string) =>
  Effect.callback<void>((resume) => {
    const request = http.get(url, { agent: false }, (response) => {
      response.once("data", () => request.destroy())
      response.once("close", () => resume(Effect.void))
    })
    // This is its own report of its end.
    request.on("error", () => {})
  })

/** The open blobs of a process. */
const openBlobs = (pid: number): ReadonlyArray<string> =>
  fs.readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      const target = fs.readlinkSync(`/proc/${pid}/fd/${descriptor}`)
      return target.includes("/blobs/media/") ? [target] : []
    } catch {
      return []
    }
  })

overBothStores("a file that is being read", (store) =>
  running(store, (it) => {
    it.effect("is complete for a slow reader, and for fast ones beside it", () =>
      Effect.gen(function* () {
        const url = yield* uploaded
        const slow = curl("--limit-rate", "10M", url)
        const replies = yield* Effect.all([slow, curl(url), curl(url), curl("--range", "1-", url)], {
          concurrency: "unbounded"
        })
        const expected = [bytes, bytes, bytes, bytes.subarray(1)]
        for (const [index, reply] of replies.entries()) {
          assert.isTrue(reply.bytes.equals(expected[index] ?? Buffer.of()), `reader ${index}`)
        }
      })
    )

    it.effect("is closed by the server when its readers disconnect", () =>
      Effect.gen(function* () {
        const { process: server } = yield* UploadServer
        const url = yield* uploaded
        yield* Effect.forEach(Array.from({ length: leaving }), () => leave(url), { concurrency: 20 })
        assert.isTrue((yield* curl(url)).bytes.equals(bytes))
        if (store === "disk" && process.platform === "linux") {
          const check = Effect.sync(() => assert.deepStrictEqual(openBlobs(server.pid), []))
          yield* Effect.retry(
            Effect.sandbox(check),
            Schedule.max([Schedule.spaced(20), Schedule.recurs(250)])
          )
        }
      })
    )
  })
)
