import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import type * as Http from "node:http"
import type { ImageRefused, ImageUnavailable } from "#src/features/media/ImageFailure.ts"
import { ImageSource } from "#src/features/media/ImageSource.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as Scratch from "#test/support/Scratch.ts"
import * as MediaServices from "#test/support/MediaServices.ts"

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)
type Failure = ImageRefused | ImageUnavailable

const svg = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'

/** Nothing listens there, and the guard would refuse it anyway. */
const mediaUrl = "http://127.0.0.1:1"
const urls = { queueUrl: mediaUrl, baseUrl: mediaUrl, mediaUrl, mcpUrl: mediaUrl }

const services = (guard: OutboundGuard.GuardOptions = { authorities: [Receiver.authority] }) =>
  ImageSource.layerNoDeps.pipe(
    Layer.provide(OutboundGuard.layer(guard)),
    Layer.provideMerge(MediaServices.layer),
    Layer.provide([MemoryBlobStore.layer, PublicUrls.layerOf(urls)]),
    Layer.provideMerge(Layer.merge(NodeFileSystem.layer, Scratch.layer))
  )

/** The type of a picture and its bytes. */
const read = Effect.fn(function* (source: string) {
  const fs = yield* FileSystem.FileSystem
  const { path, format } = yield* (yield* ImageSource).open(source)
  return { format, bytes: Buffer.from(yield* fs.readFile(path)), path }
}, Effect.scoped)

const fail = (source: string) => Effect.flip(read(source))

const dataUri = (bytes: Buffer, type = "image/png") => `data:${type};base64,${bytes.toString("base64")}`

const serve = (handler: Http.RequestListener) =>
  Effect.map(
    Receiver.https(handler),
    ({ port }) => `https://receiver.example.com:${port}/picture?secret=hunter2`
  )

describe("ImageSource.open", () => {
  it.live("downloads over https to the scratch directory, and removes the file afterwards", () =>
    Effect.gen(function* () {
      const url = yield* serve((_request, response) => response.end(png))
      const { bytes, format, path } = yield* read(url)
      assert.deepStrictEqual([format, bytes], ["png", png])
      assert.isTrue(path.startsWith(`${yield* ScratchDirectory}/`))
      assert.isFalse(yield* (yield* FileSystem.FileSystem).exists(path))
    }).pipe(Effect.provide(services()))
  )

  it.live("reads our own media URL from the store, without network", () =>
    Effect.gen(function* () {
      const { url } = yield* (yield* MediaStore).put({
        ...MediaServices.made,
        fileName: "cat.png",
        contentType: "image/png",
        body: png
      })
      assert.isTrue(url.startsWith(`${mediaUrl}/media/`))
      assert.deepStrictEqual((yield* read(url)).bytes, png)
    }).pipe(Effect.provide(services({ admitted: [] })))
  )

  it.live("rejects a removed file of ours", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const { id, url } = yield* store.put({
        ...MediaServices.made,
        fileName: "cat.png",
        contentType: "image/png",
        body: png
      })
      yield* store.remove(id, "requested")
      assert.deepInclude(yield* fail(url), { _tag: "ImageRefused", reason: "not_found" })
    }).pipe(Effect.provide(services()))
  )

  it.live("reads a data: URI", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* read(dataUri(png))).bytes, png)
    }).pipe(Effect.provide(services()))
  )

  it.live.each<readonly [string, string]>([
    ["an SVG", dataUri(Buffer.from(svg))],
    ["an SVG behind a byte order mark", dataUri(Buffer.from(`\ufeff \n${svg}`))],
    ["an SVG without prolog", dataUri(Buffer.from('<!-- x --><svg width="9"/>'))],
    ["an SVG with its own type", dataUri(Buffer.from(svg), "image/svg+xml")]
  ])("rejects %s, whatever its declared type", ([_case, source]) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* fail(source), { _tag: "ImageRefused", reason: "svg" })
    }).pipe(Effect.provide(services()))
  )

  it.live.each<readonly [string, string, ImageRefused["reason"]]>([
    ["a PDF", dataUri(Buffer.from("%PDF-1.7\n")), "not_an_image"],
    ["text", dataUri(Buffer.from("hello")), "not_an_image"],
    ["another scheme", "ftp://receiver.example.com/cat.png", "unsupported_source"],
    ["a path", "/etc/passwd", "unsupported_source"],
    ["a file URL", "file:///etc/passwd", "unsupported_source"],
    ["a media URL of ours without a file", `${mediaUrl}/media/${"A".repeat(24)}/cat.png`, "not_found"],
    ["another URL on our media host", `${mediaUrl}/metrics`, "forbidden_address"],
    ["a private address", "https://169.254.169.254/latest", "forbidden_address"]
  ])("rejects %s", ([_case, source, reason]) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* fail(source), { _tag: "ImageRefused", reason })
    }).pipe(Effect.provide(services()))
  )

  it.live.each<readonly [string, Failure["_tag"], Failure["reason"], Http.RequestListener]>([
    ["a missing page", "ImageRefused", "not_found", (_, response) => response.writeHead(404).end()],
    ["a forbidden page", "ImageRefused", "download_refused", (_, response) => response.writeHead(403).end()],
    [
      "a redirect to a private address",
      "ImageRefused",
      "forbidden_address",
      (_, response) => response.writeHead(302, { location: "https://169.254.169.254/" }).end()
    ],
    [
      "more than 50 MiB",
      "ImageRefused",
      "too_large",
      (_, response) => response.writeHead(200, { "content-length": 50 * 1024 * 1024 + 1 }).flushHeaders()
    ],
    ["an empty file", "ImageRefused", "not_an_image", (_, response) => response.end()],
    ["a server error", "ImageUnavailable", "unreachable", (_, response) => response.writeHead(503).end()],
    ["a full server", "ImageUnavailable", "unreachable", (_, response) => response.writeHead(429).end()],
    ["a reset", "ImageUnavailable", "unreachable", (_, response) => response.socket?.destroy()]
  ])("fails on %s in %s, %s", ([_case, tag, reason, handler]) =>
    Effect.gen(function* () {
      const failure = yield* fail(yield* serve(handler))
      assert.deepStrictEqual([failure._tag, failure.reason], [tag, reason])
      assert.notMatch(failure.message, /receiver|hunter2/)
    }).pipe(Effect.provide(services()))
  )

  it.live("fails with ImageUnavailable for a name that does not resolve", () =>
    Effect.gen(function* () {
      const failure = yield* fail("https://receiver.example.com/cat.png")
      assert.deepInclude(failure, { _tag: "ImageUnavailable", reason: "unreachable" })
    }).pipe(Effect.provide(services({ resolve: () => Effect.succeed([]) })))
  )
})
