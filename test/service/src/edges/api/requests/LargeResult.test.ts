import * as http from "node:http"
import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as HttpProbe from "#test/support/HttpProbe.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { TestServer } from "#test/support/TestServer.ts"
import * as TwoWays from "#test/support/TwoWays.ts"
import { accepted } from "#test/support/src/edges/http/Calls.ts"

/** Text larger than one chunk of the store. */
const large = { value: "naïve ☃".repeat(2 * inlineLimit) }

const completed = Effect.gen(function* () {
  const id = yield* accepted("sandbox/echo", { value: 1 })
  yield* Lifecycle.start(id, 40)
  yield* Lifecycle.deliver(id, large)
  return id
})

/** Changes one byte of the stored output. */
const alter = Effect.fnUntraced(function* (id: RequestId) {
  const blobs = yield* BlobStore
  const stream = StreamName.make(InferenceRequest.aggregate.category, id)
  const record = yield* (yield* EventReader).payload(stream, "output")
  if (record?.content._tag !== "Blob") return yield* Effect.die("It is not in the blob store")
  const blob = yield* blobs.get(record.content.key)
  const bytes = yield* Stream.mkUint8Array(blob?.body ?? Stream.empty)
  bytes[100] = 0x21
  yield* blobs.put(record.content.key, bytes)
})

/** The number of received bytes, and whether the body is complete. */
const received = (port: number, path: string, authorization: string) =>
  Effect.callback<{ readonly announced: number; readonly length: number; readonly isWhole: boolean }>(
    (resume) => {
      const request = http.get(
        { host: "127.0.0.1", port, path, agent: false, headers: { authorization } },
        (response) => {
          let length = 0
          const announced = Number(response.headers["content-length"])
          response.on("data", (chunk: Buffer) => void (length += chunk.length))
          response.on("error", () => {})
          response.on("close", () =>
            resume(Effect.succeed({ announced, length, isWhole: response.complete }))
          )
        }
      )
      return Effect.sync(() => request.destroy())
    }
  )

layer(TwoWays.layer(), { excludeTestServices: true })("a large result", (it) => {
  it.effect("that was altered in the store is cut off before its end, on both paths", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer
      const { declared, fast } = yield* TwoWays.TwoWays
      const id = yield* completed
      const path = `/sandbox/echo/requests/${id}`
      for (const port of [declared, fast]) {
        const { announced, isWhole, length } = yield* received(port, path, key)
        assert.isTrue(isWhole)
        assert.strictEqual(length, announced)
      }
      yield* alter(id)
      for (const port of [declared, fast]) {
        const { announced, isWhole, length } = yield* received(port, path, key)
        assert.isFalse(isWhole)
        assert.isBelow(length, announced)
      }
    })
  )

  it.effect("waits for its position among the answers of its connection", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer
      const ports = yield* TwoWays.TwoWays
      const id = yield* completed
      const { text } = yield* HttpProbe.send(ports.fast, {
        path: `/sandbox/echo/requests/${id}`,
        headers: { authorization: key }
      })
      const request = (suffix: string, end = "") =>
        `GET /sandbox/echo/requests/${id}${suffix} HTTP/1.1\r\nHost: a\r\nAuthorization: ${key}\r\n${end}\r\n`
      for (const port of [ports.declared, ports.fast]) {
        const told = yield* HttpProbe.raw(
          port,
          request("") + request("/status") + request("") + request("/status", "Connection: close\r\n")
        )
        const bodies = Buffer.from(told, "latin1")
          .toString()
          .split("\r\n\r\n")
          .slice(1)
          .map((body) => body.split("HTTP/1.1 200")[0])
        assert.strictEqual(bodies.length, 4)
        assert.strictEqual(bodies[0], text)
        assert.strictEqual(bodies[2], text)
        assert.deepInclude(JSON.parse(bodies[1] ?? ""), { request_id: id, status: "COMPLETED" })
        assert.strictEqual(bodies[3], bodies[1])
      }
    })
  )
})
