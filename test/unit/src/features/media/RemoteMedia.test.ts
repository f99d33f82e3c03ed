import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Result } from "effect"
import type * as Http from "node:http"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { RemoteMedia } from "#src/features/media/RemoteMedia.ts"
import { RemoteRefused, RemoteUnavailable } from "#src/features/media/RemoteFailure.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as ShortSleeps from "#test/support/ShortSleeps.ts"
import * as Scratch from "#test/support/Scratch.ts"
import * as MediaServices from "#test/support/MediaServices.ts"

type Failure = RemoteRefused | RemoteUnavailable

const gif = Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAAC", "base64")

/** Nothing listens there, and the guard would refuse it. */
const mediaUrl = "http://127.0.0.1:1"
const urls = { queueUrl: mediaUrl, baseUrl: mediaUrl, mediaUrl, mcpUrl: mediaUrl }

const services = (guard: OutboundGuard.GuardOptions = { authorities: [Receiver.authority] }) =>
  RemoteMedia.layerNoDeps.pipe(
    Layer.provide(OutboundGuard.layer(guard)),
    Layer.provideMerge(MediaServices.layer),
    Layer.provide([MemoryBlobStore.layer, PublicUrls.layerOf(urls)]),
    Layer.provideMerge(Layer.merge(NodeFileSystem.layer, Scratch.layer))
  )

/** Before a file that is not there is asked for again. Together less than two seconds. */
const shortPauses = ShortSleeps.layer("500 millis", "1 second")

/** The result, and the bytes of a local file. */
const fetch = Effect.fn(function* (url: string) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* (yield* RemoteMedia).fetch(url)
  return { file, bytes: file._tag === "LocalFile" ? Buffer.from(yield* fs.readFile(file.path)) : null }
}, Effect.scoped)

const fail = (url: string) => Effect.flip(fetch(url))

const serve = (handler: Http.RequestListener) =>
  Effect.map(
    Receiver.https(handler),
    ({ port }) => `https://receiver.example.com:${port}/file?secret=hunter2`
  )

const scratchFiles = Effect.gen(function* () {
  return yield* (yield* FileSystem.FileSystem).readDirectory(yield* ScratchDirectory)
})

describe("RemoteMedia.fetch", () => {
  it.live("downloads over https, detects the type by content, and removes the file with the scope", () =>
    Effect.gen(function* () {
      const url = yield* serve((_request, response) =>
        response.writeHead(200, { "content-type": "text/html" }).end(gif)
      )
      const { bytes, file } = yield* fetch(url)
      assert.deepInclude(file, {
        _tag: "LocalFile",
        contentType: "image/gif",
        extension: "gif",
        size: gif.length
      })
      assert.deepStrictEqual(bytes, gif)
      assert.deepStrictEqual(yield* scratchFiles, [])
    }).pipe(Effect.provide(services()))
  )

  it.live("uses the declared type of unknown bytes", () =>
    Effect.gen(function* () {
      const url = yield* serve((_request, response) =>
        response.writeHead(200, { "content-type": "text/csv" }).end("a,b")
      )
      assert.deepInclude((yield* fetch(url)).file, { contentType: "text/csv", extension: "csv" })
    }).pipe(Effect.provide(services()))
  )

  it.live("decodes a data: URI", () =>
    Effect.gen(function* () {
      const { bytes, file } = yield* fetch(`data:image/png;base64,${gif.toString("base64")}`)
      assert.deepInclude(file, { _tag: "LocalFile", contentType: "image/gif", size: gif.length })
      assert.deepStrictEqual(bytes, gif)
    }).pipe(Effect.provide(services()))
  )

  it.live("finds our own file in the store, without a request and without a copy", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const media = yield* store.put({
        ...MediaServices.made,
        fileName: "a.gif",
        contentType: "image/gif",
        body: gif
      })
      assert.deepStrictEqual((yield* fetch(media.url)).file, { _tag: "StoredFile", media })
      yield* store.remove(media.id, "requested")
      assert.deepInclude(yield* fail(media.url), { _tag: "RemoteRefused", reason: "not_found" })
    }).pipe(Effect.provide(services({ admitted: [] })))
  )

  it.live.each<readonly [string, string, RemoteRefused["reason"]]>([
    ["a file URL", "file:///etc/passwd", "unsupported_source"],
    ["a path", "/etc/passwd", "unsupported_source"],
    ["another scheme", "ftp://receiver.example.com/a", "unsupported_source"],
    ["a malformed data: URI", "data:image/png;base64,Y", "malformed_data_uri"],
    ["a text that is no URL", "https://receiver example.com/a", "malformed_url"],
    ["a very long URL", `https://receiver.example.com/${"a".repeat(2_048)}`, "url_too_long"],
    ["a URL with a password", "https://user:pass@receiver.example.com/", "credentials"],
    ["a private address in other digits", "https://１６９.254.169.254/a b", "forbidden_address"],
    ["plain http", "http://receiver.example.com/a", "not_https"],
    ["a private address", "https://169.254.169.254/latest", "forbidden_address"],
    ["another URL on our media host", `${mediaUrl}/metrics`, "not_https"],
    ["our own URL without a file", `${mediaUrl}/media/${"A".repeat(24)}/a.png`, "not_found"]
  ])("rejects %s", ([_case, url, reason]) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* fail(url), { _tag: "RemoteRefused", reason })
      assert.deepStrictEqual(yield* scratchFiles, [])
    }).pipe(Effect.provide(services()))
  )

  it.live.each<readonly [string, Failure["_tag"], Failure["reason"], Http.RequestListener]>([
    ["a missing file", "RemoteRefused", "refused", (_, response) => response.writeHead(404).end()],
    ["a file that is gone", "RemoteRefused", "refused", (_, response) => response.writeHead(410).end()],
    ["a refused request", "RemoteRefused", "refused", (_, response) => response.writeHead(400).end()],
    ["a forbidden file", "RemoteRefused", "refused", (_, response) => response.writeHead(403).end()],
    ["a file that needs a key", "RemoteRefused", "refused", (_, response) => response.writeHead(401).end()],
    [
      "a redirect to a private address",
      "RemoteRefused",
      "forbidden_address",
      (_, response) => response.writeHead(302, { location: "https://169.254.169.254/" }).end()
    ],
    [
      "a redirect to plain http",
      "RemoteRefused",
      "not_https",
      (_, response) => response.writeHead(302, { location: "http://receiver.example.com/" }).end()
    ],
    [
      "redirects without end",
      "RemoteRefused",
      "too_many_redirects",
      (_, response) => response.writeHead(302, { location: "/" }).end()
    ],
    [
      "a time-out of its server",
      "RemoteUnavailable",
      "unreachable",
      (_, response) => response.writeHead(408).end()
    ],
    ["a rate limit", "RemoteUnavailable", "unreachable", (_, response) => response.writeHead(429).end()],
    ["a server error", "RemoteUnavailable", "unreachable", (_, response) => response.writeHead(503).end()],
    ["a reset", "RemoteUnavailable", "unreachable", (_, response) => response.socket?.destroy()],
    [
      "more than 1 GiB",
      "RemoteRefused",
      "too_large",
      (_, response) => response.writeHead(200, { "content-length": 1024 ** 3 + 1 }).flushHeaders()
    ]
  ])("fails on %s in %s, %s", ([_case, tag, reason, handler]) =>
    Effect.gen(function* () {
      const failure = yield* fail(yield* serve(handler))
      assert.deepStrictEqual([failure._tag, failure.reason], [tag, reason])
      assert.notMatch(failure.message, /receiver|hunter2/)
      assert.deepStrictEqual(yield* scratchFiles, [])
    }).pipe(Effect.provide(services()), Effect.provide(shortPauses))
  )

  /** The calls of its server until the result. */
  const callsFor = Effect.fnUntraced(function* (...statuses: ReadonlyArray<number>) {
    let calls = 0
    const url = yield* serve((_request, response) => {
      response.writeHead(statuses[calls++] ?? 200).end(gif)
    })
    const result = yield* Effect.result(fetch(url))
    return { calls, result: Result.isSuccess(result) ? "fetched" : result.failure }
  })

  it.live("asks twice more within two seconds for a file that is not there yet, and for no other", () =>
    Effect.gen(function* () {
      for (const statuses of [[404], [404, 404]])
        assert.deepStrictEqual(yield* callsFor(...statuses), {
          calls: statuses.length + 1,
          result: "fetched"
        })
      const missing = yield* callsFor(404, 404, 404)
      assert.deepStrictEqual(missing, {
        calls: 3,
        result: new RemoteRefused({ reason: "refused", status: 404 })
      })
      for (const status of [400, 401, 403, 410, 451]) {
        const { calls, result } = yield* callsFor(status)
        assert.deepStrictEqual([calls, result], [1, new RemoteRefused({ reason: "refused", status })])
      }
      const away = yield* callsFor(404, 503)
      assert.deepStrictEqual(away, {
        calls: 2,
        result: new RemoteUnavailable({ reason: "unreachable", status: 503 })
      })
    }).pipe(Effect.provide(services()), Effect.provide(shortPauses))
  )

  it.live("treats a name that does not resolve as an outage", () =>
    Effect.gen(function* () {
      const failure = yield* fail("https://receiver.example.com/a")
      assert.deepInclude(failure, { _tag: "RemoteUnavailable", reason: "unreachable" })
    }).pipe(Effect.provide(services({ resolve: () => Effect.succeed([]) })))
  )
})
