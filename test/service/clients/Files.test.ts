/** Uploads and downloads of `@inferlog/client` at a server, over connections that break. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { QuotaExceededError } from "#clients/typescript/Errors.ts"
import { Inferlog } from "#clients/typescript/Inferlog.ts"
import { file, stream } from "#clients/typescript/node/File.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestServer from "#test/support/TestServer.ts"

const MiB = 2 ** 20

const bytes = (length: number): Uint8Array<ArrayBuffer> => {
  const made = new Uint8Array(length)
  for (let start = 0; start < length; start += 65_536)
    crypto.getRandomValues(made.subarray(start, start + 65_536))
  return made
}

const large = bytes(11 * MiB + 7)
const parts = { partSize: 5 * MiB }

const digest = (data: ArrayBuffer | Uint8Array) =>
  crypto.hash("sha256", data instanceof ArrayBuffer ? new Uint8Array(data) : data)

type Fetch = typeof globalThis.fetch

interface Sent {
  readonly method: string
  readonly path: string
  readonly authorization: string | null
  readonly range: string | null
}

/** What a connection does with the nth call (from 1) of a kind, such as `PUT /media`. */
type Fault = (
  call: { readonly kind: string; readonly number: number },
  go: () => Promise<Response>
) => Promise<Response>

const through = (fault: Fault = (_, go) => go()) => {
  const sent: Array<Sent> = []
  const numbers = new Map<string, number>()
  const underWay = { now: 0, most: 0 }
  const connection: Fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    const method = init?.method ?? "GET"
    const headers = new Headers(init?.headers)
    const authorization = headers.get("authorization")
    sent.push({ method, path: pathname, authorization, range: headers.get("range") })
    const kind = `${method} ${/^(\/media|\/files|\/storage\/upload\/.+)/.exec(pathname)?.[0] ?? pathname}`
    const number = (numbers.get(kind) ?? 0) + 1
    numbers.set(kind, number)
    underWay.most = Math.max(underWay.most, ++underWay.now)
    try {
      return await fault({ kind, number }, () => fetch(input, init))
    } finally {
      underWay.now--
    }
  }
  const countOf = (kind: string) => numbers.get(kind) ?? 0
  return { connection, sent, countOf, underWay }
}

/** A client whose pauses take no time. */
const clientThrough = (fault?: Fault) =>
  Effect.map(TestServer.TestServer, ({ key, urls }) => {
    const wire = through(fault)
    const inferlog = new Inferlog({
      url: urls.baseUrl,
      key: key.replace("Key ", ""),
      fetch: wire.connection,
      clock: { now: () => Date.now(), sleep: async () => {} }
    })
    return { inferlog, ...wire }
  })

const read = (url: string) =>
  Effect.promise(async () => {
    const answer = await fetch(url)
    return { digest: digest(await answer.arrayBuffer()), type: answer.headers.get("content-type"), url }
  })

/** Answers in place of the server, as S3 does when a URL is too old. */
const expired = () =>
  new Response("<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>", {
    status: 403,
    headers: { "content-type": "application/xml" }
  })

const errorOf = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("it did not fail"),
      (error: unknown) => error
    )
  )

layer(TestServer.layer(), { excludeTestServices: true })("files of the client", (it) => {
  it.effect("sends a small file of the disk in one PUT, and tells how much is on its way", () =>
    Effect.gen(function* () {
      const { countOf, inferlog, sent } = yield* clientThrough()
      const data = bytes(300_000)
      const progress: Array<number> = []
      const path = `${yield* TempDirectory.make}/a cat.png`
      fs.writeFileSync(path, data)
      const image = yield* Effect.promise(() => file(path))
      const onProgress = (bytes: number, total: number) => progress.push(bytes / total)
      const url = yield* Effect.promise(() => inferlog.files.upload(image, { onProgress }))
      assert.match(url, /-a%20cat\.png$/)
      assert.deepStrictEqual(yield* read(url), { digest: digest(data), type: "image/png", url })
      assert.strictEqual(countOf("PUT /media"), 1)
      assert.isAbove(progress.length, 2)
      assert.deepStrictEqual(
        progress,
        progress.toSorted((a, b) => a - b)
      )
      assert.strictEqual(progress.at(-1), 1)
      for (const { authorization, path } of sent)
        assert.strictEqual(authorization !== null, !path.startsWith("/media"), path)
    })
  )

  it.effect("sends a large file in parts, three at once, and repeats what was lost on the way", () =>
    Effect.gen(function* () {
      let gone = 0
      const { countOf, inferlog, underWay } = yield* clientThrough(async ({ kind, number }, go) => {
        const answer = await go()
        // The server has all of it, but the answer is lost.
        const isLost = (kind === "PUT /media" && number === 2) || (kind.endsWith("/complete") && number === 1)
        if (!isLost) return answer
        await answer.text()
        gone++
        throw new TypeError("The connection broke")
      })
      const url = yield* Effect.promise(() => inferlog.files.upload(new Blob([large]), parts))
      assert.strictEqual((yield* read(url)).digest, digest(large))
      assert.deepStrictEqual([gone, countOf("PUT /media"), underWay.most], [2, 4, 3])
      assert.strictEqual(countOf("POST /storage/upload/complete"), 2)
    })
  )

  it.effect("goes on with an upload that was interrupted, without the parts that have arrived", () =>
    Effect.gen(function* () {
      const ending = new AbortController()
      const first = yield* clientThrough(async (_, go) => go())
      let begun = { uploadId: "", uploadKey: "" }
      const failed = yield* errorOf(
        first.inferlog.files.upload(new Blob([large]), {
          ...parts,
          parallel: 1,
          signal: ending.signal,
          onBegin: (upload) => void (begun = upload),
          onProgress: (sent) => {
            if (sent > 10 * MiB) ending.abort(new Error("enough"))
          }
        })
      )
      assert.propertyVal(failed, "message", "enough")
      const second = yield* clientThrough()
      const progress: Array<number> = []
      // The size of the parts is known from those that have arrived.
      const url = yield* Effect.promise(() =>
        second.inferlog.files.upload(new Blob([large]), {
          resume: begun,
          onProgress: (sent) => progress.push(sent)
        })
      )
      assert.strictEqual((yield* read(url)).digest, digest(large))
      assert.strictEqual(second.countOf("PUT /media"), 1)
      assert.deepStrictEqual([progress[1], progress.at(-1)], [10 * MiB, large.length])
      // Once more, when all is there.
      const again = yield* Effect.promise(() =>
        second.inferlog.files.upload(new Blob([large]), { resume: begun })
      )
      assert.strictEqual(again, url)
      const { sha256 } = (yield* Effect.promise(() => second.inferlog.files.get(begun.uploadKey))).checksums
      assert.strictEqual(sha256, digest(large))
    })
  )

  it.effect("asks for another URL when one has expired, and leaves no file behind", () =>
    Effect.gen(function* () {
      const { countOf, inferlog } = yield* clientThrough(async ({ kind, number }, go) =>
        kind === "PUT /media" && number === 1 ? expired() : go()
      )
      const data = bytes(1_000)
      const url = yield* Effect.promise(() => inferlog.files.upload(data))
      assert.strictEqual((yield* read(url)).digest, digest(data))
      assert.strictEqual(countOf("POST /storage/upload/initiate"), 2)
      assert.strictEqual(countOf("DELETE /files"), 1)
      const inParts = yield* clientThrough(async ({ kind, number }, go) =>
        kind === "PUT /media" && number === 3 ? expired() : go()
      )
      const other = yield* Effect.promise(() => inParts.inferlog.files.upload(large, parts))
      assert.strictEqual((yield* read(other)).digest, digest(large))
      assert.strictEqual(inParts.countOf("GET /storage/upload/multipart-url"), 4)
    })
  )

  it.effect("reads a stream once, in order, and no further than its parts under way", () =>
    Effect.gen(function* () {
      const { inferlog } = yield* clientThrough(async ({ kind, number }, go) =>
        kind === "PUT /media" && number === 1 ? new Response("", { status: 503 }) : go()
      )
      const streamOf = (data: Uint8Array<ArrayBuffer>) =>
        stream(new Blob([data]).stream(), large.length, { name: "film.mp4" })
      const url = yield* Effect.promise(() => inferlog.files.upload(streamOf(large), parts))
      assert.match(url, /film\.mp4$/)
      assert.strictEqual((yield* read(url)).digest, digest(large))
      const short = yield* errorOf(inferlog.files.upload(streamOf(large.subarray(0, 6 * MiB)), parts))
      assert.propertyVal(short, "message", `The stream ended after ${6 * MiB} of ${large.length} bytes`)
    })
  )

  it.effect("ends with the typed error of a refusal, and ends the other parts with it", () =>
    Effect.gen(function* () {
      const { countOf, inferlog } = yield* clientThrough(async ({ kind }, go) =>
        kind === "PUT /media"
          ? Response.json({ error: "Full", details: { code: "QUOTA_EXCEEDED" } }, { status: 413 })
          : go()
      )
      assert.instanceOf(
        yield* errorOf(inferlog.files.upload(large, { ...parts, parallel: 1 })),
        QuotaExceededError
      )
      assert.strictEqual(countOf("PUT /media"), 1)
    })
  )

  it.effect("downloads go on behind the last byte after a cut, and from an offset", () =>
    Effect.gen(function* () {
      const cut = (answer: Response, after: number) => {
        let left = after
        const { body, headers, status } = answer
        const cutting = new TransformStream<Uint8Array, Uint8Array>({
          transform: (chunk, controller) => {
            controller.enqueue(chunk.subarray(0, left))
            left -= chunk.length
            if (left <= 0) controller.error(new TypeError("The connection broke"))
          }
        })
        return new Response(body?.pipeThrough(cutting) ?? null, { status, headers })
      }
      const { inferlog, sent } = yield* clientThrough(async ({ kind, number }, go) => {
        const answer = await go()
        return kind === "GET /media" && number <= 3 ? cut(answer, MiB) : answer
      })
      const url = yield* Effect.promise(() => inferlog.files.upload(large, parts))
      const whole = yield* Effect.promise(() => inferlog.files.download(url))
      const etag = whole.headers.get("etag") ?? ""
      assert.strictEqual(digest(yield* Effect.promise(() => whole.arrayBuffer())), digest(large))
      const ranges = sent.filter(({ method, path }) => method === "GET" && path.startsWith("/media"))
      assert.lengthOf(ranges, 4)
      assert.strictEqual(ranges[1]?.range, `bytes=${MiB}-`)

      const rest = yield* Effect.promise(() => inferlog.files.download(url, { offset: 10 * MiB, etag }))
      assert.strictEqual(rest.status, 206)
      assert.strictEqual(
        digest(yield* Effect.promise(() => rest.arrayBuffer())),
        digest(large.subarray(10 * MiB))
      )
      const changed = yield* Effect.promise(() =>
        inferlog.files.download(url, { offset: 10 * MiB, etag: '"of another file"' })
      )
      assert.deepStrictEqual(
        [changed.status, changed.headers.get("content-length")],
        [200, `${large.length}`]
      )
      yield* Effect.promise(async () => changed.body?.cancel())
    })
  )

  it.effect("lists, and deletes", () =>
    Effect.gen(function* () {
      const { inferlog } = yield* clientThrough()
      const url = yield* Effect.promise(() => inferlog.files.upload(bytes(10), { contentType: "text/x-own" }))
      const { usedBytes } = yield* Effect.promise(() => inferlog.files.storage())
      assert.isAtLeast(usedBytes, 10)
      const { id } = yield* Effect.promise(() => inferlog.files.get(url.split("/").at(-2) ?? ""))
      yield* Effect.promise(() => inferlog.files.delete(id))
      assert.strictEqual((yield* Effect.promise(() => fetch(url))).status, 410)
    })
  )
})
