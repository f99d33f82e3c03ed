/** The harness of the rows with large files. */
import * as http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as BodyCounter from "#bench/harness/BodyCounter.ts"
import * as TransferClient from "#bench/harness/TransferClient.ts"
import * as Memory from "#bench/rows/files/Memory.ts"
import * as Transfer from "#bench/rows/files/Transfer.ts"
import { floor } from "#bench/rows/files/T10Transfers.ts"

/** Not a multiple of the block size. */
const bytes = 3 * Transfer.MiB + 7

/** A server that returns the uploaded file after `change`. */
const serving = (change: (file: Buffer) => Buffer) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<http.Server>((resolve) => {
            let file = Buffer.alloc(0)
            const server = http.createServer((request, response) => {
              if (request.method === "GET") return response.end(change(file))
              const chunks: Array<Buffer> = []
              request.on("data", (chunk: Buffer) => chunks.push(chunk))
              return request.on("end", () => {
                file = Buffer.concat(chunks)
                response.writeHead(200, { etag: `"${file.length}"`, "content-length": 0 }).end()
              })
            })
            server.listen(0, "127.0.0.1", () => resolve(server))
          })
      ),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (server) => {
      const address = server.address()
      return address === null || typeof address === "string" ? 0 : address.port
    }
  )

const putAndGet = (change: (file: Buffer) => Buffer) =>
  Effect.gen(function* () {
    const port = yield* serving(change)
    const client = yield* TransferClient.start("the test's server")
    const put = { port, bytes, atOnce: 2, contentType: "a/b", status: 200 }
    const etags = yield* client.put({ ...put, paths: ["/a", "/b", "/c"] })
    assert.deepStrictEqual(etags, [String(bytes), String(bytes), String(bytes)])
    yield* client.get({ port, path: "/", bytes })
  }).pipe(Effect.scoped)

describe("a large answer", () => {
  const answer = Buffer.from('HTTP/1.1 200 OK\r\nETag: "e"\r\nContent-Length: 5\r\n\r\nhello')

  it("is complete with the last byte of its body, and inspected piece by piece", () => {
    for (let cut = 1; cut < answer.length; cut++) {
      let seen = ""
      const counter = BodyCounter.make((piece, at) => {
        assert.strictEqual(at, seen.length)
        seen += piece.toString()
      })
      assert.isNull(counter.push(answer.subarray(0, cut)))
      assert.deepStrictEqual(counter.push(answer.subarray(cut)), { status: 200, etag: "e", bytes: 5 })
      assert.strictEqual(seen, "hello")
    }
  })

  it("is refused when it is longer than its content-length or has none", () => {
    assert.throws(() => BodyCounter.make().push(Buffer.concat([answer, answer])))
    assert.throws(() => BodyCounter.make().push(Buffer.from("HTTP/1.1 200 OK\r\n\r\n")))
  })
})

describe("a large file", () => {
  it.live("is sent completely and accepted unchanged", () => putAndGet((file) => file))

  it.live("is an error if its content or length differs", () =>
    Effect.gen(function* () {
      const wrong = yield* Effect.flip(putAndGet((file) => Buffer.alloc(file.length, "x")))
      assert.match(wrong.message, /a wrong byte came at/)
      const short = yield* Effect.flip(putAndGet((file) => file.subarray(0, -1)))
      assert.match(short.message, new RegExp(`expected ${bytes} bytes, got ${bytes - 1}`))
    })
  )

  it.live("is returned by the floor until it is removed", () =>
    Effect.gen(function* () {
      const server = yield* floor.serve
      const client = yield* TransferClient.start("the floor")
      const stored = yield* server.upload(client, bytes)
      const get = client.get({ port: server.port, path: stored.path, bytes })
      yield* get
      yield* stored.remove
      assert.match((yield* Effect.flip(get)).message, /expected status 200, got 404/)
    }).pipe(Effect.scoped)
  )
})

describe("a row of files", () => {
  it.live("counts the transferred MiB and the time", () =>
    Effect.gen(function* () {
      for (const subject of [Transfer.upload, Transfer.download, Memory.subject]) {
        const { measure } = yield* subject(floor, bytes).start
        const { elapsedMs, notes, operations } = yield* measure(0)
        assert.strictEqual(operations, ((subject === Memory.subject ? 2 : 1) * bytes) / Transfer.MiB)
        assert.isAbove(elapsedMs, 0)
        assert.strictEqual(notes === undefined, subject !== Memory.subject)
      }
    }).pipe(Effect.scoped)
  )
})
