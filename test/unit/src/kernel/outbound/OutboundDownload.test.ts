import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, FileSystem, Layer, Option } from "effect"
import { Buffer } from "node:buffer"
import type * as Http from "node:http"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

const services = Layer.merge(OutboundGuard.layer({ authorities: [Receiver.authority] }), NodeFileSystem.layer)

/** Downloads what `handler` sends into an empty folder. Returns the outcome and the content of the folder. */
const download = Effect.fn(function* (
  handler: Http.RequestListener,
  options?: { readonly maxBytes?: number; readonly timeout?: Duration.Duration }
) {
  const outbound = yield* Outbound
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const receiver = yield* Receiver.https(handler)
  const toFile = `${folder}/input`
  const result = yield* outbound
    .download({
      url: `https://receiver.example.com:${receiver.port}/picture`,
      maxBytes: options?.maxBytes ?? 1_000_000,
      timeout: options?.timeout ?? Duration.seconds(5),
      toFile
    })
    .pipe(Effect.result)
  const files = yield* fs.readDirectory(folder)
  const content = files.length === 0 ? undefined : yield* fs.readFile(toFile)
  return { result, content }
}, Effect.scoped)

/** Redirects so many times, along relative addresses, and then sends a body. */
const redirecting =
  (times: number, status: number): Http.RequestListener =>
  (request, response) => {
    const hop = Number(/^\/hop(\d+)$/.exec(request.url ?? "")?.[1] ?? 0)
    if (hop === times) return response.end("picture")
    return response.writeHead(status, { location: `hop${hop + 1}` }).end("moved")
  }

const pour = (response: Http.ServerResponse) => {
  const chunk = Buffer.alloc(65_536)
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on("drain", write)
  write()
}

describe("Outbound.download", () => {
  it.live("streams a body to the file and returns its details", () =>
    Effect.gen(function* () {
      const bytes = Buffer.from(Array.from({ length: 900_000 }, (_, index) => index % 251))
      const { content, result } = yield* download((_request, response) =>
        response.writeHead(200, { "content-type": "image/png" }).end(bytes)
      )
      if (result._tag === "Failure") return assert.fail(String(result.failure))
      assert.deepStrictEqual(result.success, { size: 900_000, contentType: Option.some("image/png") })
      assert.strictEqual(Buffer.compare(content ?? Buffer.alloc(0), bytes), 0)
    }).pipe(Effect.provide(services))
  )

  it.live("accepts an empty body without a type", () =>
    Effect.gen(function* () {
      const { content, result } = yield* download((_request, response) => response.writeHead(200).end())
      assert.deepStrictEqual(result._tag === "Success" ? result.success : undefined, {
        size: 0,
        contentType: Option.none()
      })
      assert.strictEqual(content?.length, 0)
    }).pipe(Effect.provide(services))
  )

  it.live.each<readonly [string, string, Http.RequestListener]>([
    ["a missing page", "http_404", (_request, response) => response.writeHead(404).end("no")],
    ["a server error", "http_503", (_request, response) => response.writeHead(503).end("no")],
    [
      "a redirect to a private address",
      "OutboundRefused",
      (_request, response) => response.writeHead(302, { location: "https://169.254.169.254/" }).end()
    ],
    [
      "a redirect to plain http",
      "OutboundRefused",
      (_request, response) => response.writeHead(302, { location: "http://receiver.example.com/" }).end()
    ],
    [
      "a redirect with a password",
      "OutboundRefused",
      (_request, response) => response.writeHead(302, { location: "//user:pass@receiver.example.com/" }).end()
    ],
    [
      "a redirect to a data: URI",
      "OutboundRefused",
      (_request, response) => response.writeHead(302, { location: "data:,a" }).end()
    ],
    ["a redirect to nowhere", "redirect_refused", (_request, response) => response.writeHead(302).end("no")],
    [
      "another 3xx",
      "redirect_refused",
      (_request, response) => response.writeHead(304, { location: "/" }).end()
    ],
    ["six redirects", "redirect_refused", redirecting(6, 302)],
    ["an endless body", "OutboundTooLarge", (_request, response) => pour(response)],
    [
      "a body announced too large",
      "OutboundTooLarge",
      (_request, response) => response.writeHead(200, { "content-length": "1000001" }).flushHeaders()
    ],
    [
      "a body cut short",
      "connection_failed",
      (_request, response) => {
        response.writeHead(200, { "content-length": "9" }).write("ab", () => response.socket?.destroy())
      }
    ]
  ])("leaves no file after %s and fails with %s", ([_case, reason, handler]) =>
    Effect.gen(function* () {
      const { content, result } = yield* download(handler)
      const failure = result._tag === "Failure" ? result.failure : undefined
      assert.strictEqual(failure?._tag === "OutboundError" ? failure.reason : failure?._tag, reason)
      assert.isUndefined(content)
    }).pipe(Effect.provide(services))
  )

  it.live.each([301, 302, 303, 307, 308])("follows five redirects with status %i", (status) =>
    Effect.gen(function* () {
      const { content } = yield* download(redirecting(5, status))
      assert.strictEqual(Buffer.from(content ?? []).toString(), "picture")
    }).pipe(Effect.provide(services))
  )

  it.live.each([
    ["/käse b?q=ü", "/k%C3%A4se%20b?q=%C3%BC"],
    ["/a%20b", "/a%20b"],
    ["?name=a b", "/picture?name=a%20b"]
  ])("encodes the address of a redirect to %j as browsers do", ([location, path]) =>
    Effect.gen(function* () {
      const { content } = yield* download((request, response) => {
        if (request.url === path) return response.end("picture")
        // Node refuses to send such a header.
        return response.socket?.end(
          `HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`
        )
      })
      assert.strictEqual(Buffer.from(content ?? []).toString(), "picture")
    }).pipe(Effect.provide(services))
  )

  it.live("has one deadline for all redirects", () =>
    Effect.gen(function* () {
      const { result } = yield* download(
        (request, response) =>
          request.url === "/picture"
            ? response.writeHead(302, { location: "/silent" }).end()
            : response.write("ab"),
        { timeout: Duration.millis(80) }
      )
      assert.deepInclude(result._tag === "Failure" ? result.failure : {}, { reason: "timeout" })
    }).pipe(Effect.provide(services))
  )

  it.live("leaves no file after the deadline", () =>
    Effect.gen(function* () {
      const { content, result } = yield* download((_request, response) => response.write("ab"), {
        timeout: Duration.millis(80)
      })
      assert.deepInclude(result._tag === "Failure" ? result.failure : {}, { reason: "timeout" })
      assert.isUndefined(content)
    }).pipe(Effect.provide(services))
  )
})
