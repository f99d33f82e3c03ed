import * as crypto from "node:crypto"
import { assert, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as Http from "node:http"
import { MessageBody } from "#src/edges/mcp/body/MessageBody.ts"
import { ImageSource } from "#src/features/media/ImageSource.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as Library from "#test/support/src/features/files/Library.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as FileCalls from "#test/support/src/edges/mcp/tools/FileCalls.ts"

const { call, errorAnswer, upload } = FileCalls

const bytes = crypto.randomBytes(1_000)
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

/** URL of a file on a server with a certificate that the node trusts. */
const serve = (handler: Http.RequestListener, path = "/pictures/cat%20%E2%82%AC.png?token=hunter2") =>
  Effect.map(Receiver.https(handler), ({ port }) => `https://receiver.example.com:${port}${path}`)

const served = (body: Uint8Array, contentType = "image/png") =>
  serve((_request, response) => response.writeHead(200, { "content-type": contentType }).end(body))

const stored = Effect.fnUntraced(function* (fileUrl: string) {
  const media = yield* MediaStore
  const id = yield* Effect.fromOption(media.parseOwnUrl(fileUrl))
  const opened = yield* media.open(id)
  return { media: opened?.media, text: yield* Library.read(id), types: yield* Library.typesOf(id) }
})

const keepsUrl = Effect.gen(function* () {
  const file = yield* upload({ url: yield* served(Buffer.from("some bytes")) })
  const { media, text, types } = yield* stored(file.fileUrl)
  assert.strictEqual(text, "some bytes")
  assert.deepStrictEqual(types, ["UploadInitiated", "UploadCompleted"])
  assert.deepInclude(media, { url: file.fileUrl, size: 10, contentType: "image/png", requestId: null })
  assert.deepInclude(file, {
    fileName: "cat €.png",
    contentType: "image/png",
    size: 10,
    sha256: crypto.hash("sha256", "some bytes"),
    expiresAt: "1970-01-31T00:00:00.000Z"
  })
  assert.include(yield* Library.ids(), file.fileId)
  assert.deepInclude(yield* Library.get(file.fileId), {
    status: "uploaded",
    source: "upload",
    sha256: file.sha256,
    url: file.fileUrl
  })
  // It is not mistaken for a replaced one.
  yield* Library.sweep
  assert.deepStrictEqual((yield* stored(file.fileUrl)).types, types)
  assert.deepStrictEqual(yield* FileCalls.scratchFiles, [])
}).pipe(Effect.scoped)

layer(FileCalls.local())("upload_file, with uploads through the server", (it) => {
  it.effect("stores the file at a URL", () => keepsUrl)

  it.effect("stores bytes in base64 of any form", () =>
    Effect.gen(function* () {
      const text = bytes.toString("base64")
      for (const data of [
        text,
        text.replace(/=*$/, ""),
        bytes.toString("base64url"),
        text.replace(/.{76}/g, "$&\r\n"),
        `data:;base64,${text}`,
        `data:text/plain;name=a%20b.txt; base64,${text}`,
        `data:text/plain;charset=utf-8;base64,${text}`
      ]) {
        const { fileName, sha256, size } = yield* upload({ data })
        assert.deepStrictEqual([size, sha256], [1_000, crypto.hash("sha256", bytes)], data.slice(0, 40))
        assert.match(fileName, /^file\.(?:bin|txt)$/)
      }
    })
  )

  it.effect("accepts a spooled string of the message as its data", () =>
    Effect.gen(function* () {
      const large = crypto.randomBytes(400_000)
      const message = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          arguments: { data: `data:image/webp;base64,${large.toString("base64")}` },
          name: "upload_file"
        }
      }
      const request = new Request("http://localhost/mcp", { method: "POST", body: JSON.stringify(message) })
      const { body, spooled } = yield* (yield* MessageBody).read(
        HttpServerRequest.fromWeb(request),
        Library.alice.accountId
      )
      assert.strictEqual(spooled.size, 1)
      const { params } = JSON.parse(Buffer.from(body).toString())
      const file = yield* upload(params.arguments, { spooled })
      assert.deepInclude(file, {
        size: large.length,
        sha256: crypto.hash("sha256", large),
        contentType: "image/webp",
        fileName: "file.bin"
      })
      // A handle of another message is an ordinary string.
      assert.match(yield* Effect.map(call(params.arguments), ({ text }) => text), /not base64/)
    }).pipe(Effect.scoped)
  )

  for (const [what, given, contentType] of [
    ["the given type", { contentType: "model/obj", fileName: "a.gif" }, "model/obj"],
    ["the server's type", { fileName: "a.gif" }, "text/csv; charset=utf-8"]
  ] as const)
    it.effect(`declares a download as ${what}`, () =>
      Effect.gen(function* () {
        const url = yield* served(png, "text/csv; charset=utf-8")
        const file = yield* upload({ url, ...given })
        assert.deepStrictEqual([file.contentType, file.fileName], [contentType, "a.gif"])
      }).pipe(Effect.scoped)
    )

  it.effect("derives the type from the name, or else from the bytes, when none is given", () =>
    Effect.gen(function* () {
      const url = yield* served(png, "application/octet-stream")
      const typeOf = (given: object) =>
        Effect.map(upload({ url, ...given }), ({ contentType }) => contentType)
      assert.strictEqual(yield* typeOf({ fileName: "a.glb" }), "model/gltf-binary")
      assert.strictEqual(yield* typeOf({ fileName: "a" }), "image/png")
      const file = yield* upload({ data: png.toString("base64") })
      assert.deepInclude(file, { contentType: "image/png", fileName: "file.png" })
      const input = yield* (yield* ImageSource).open(file.fileUrl)
      assert.deepInclude(input, { format: "png" })
    }).pipe(Effect.scoped)
  )

  it.effect("cleans file names", () =>
    Effect.gen(function* () {
      const nameOf = (fileName: string) =>
        Effect.map(upload({ data: "QUJD", fileName }), (file) => [
          file.fileName,
          file.fileUrl.split("/").length
        ])
      assert.deepStrictEqual(yield* nameOf("../../etc/pass\u0000wd\u202e"), ["passwd", 6])
      assert.deepStrictEqual(yield* nameOf(".."), ["file", 6])
      const url = yield* serve((_request, response) => response.end("x"), "/%2e%2e%2fsecret%zz")
      // As long as the schema allows; this many bytes of it are stored.
      assert.deepStrictEqual(yield* nameOf(`${"😀".repeat(1_020)}.png`), [`${"😀".repeat(62)}.png`, 6])
      assert.strictEqual((yield* upload({ url })).fileName, "%2e%2e%2fsecret%zz")
    }).pipe(Effect.scoped)
  )
})

layer(FileCalls.direct())("upload_file, with uploads directly to the store", (it) => {
  it.effect("stores the file at a URL", () => keepsUrl)
})

layer(FileCalls.local())("upload_file stores nothing, and", (it) => {
  for (const [what, given, expected] of [
    ["neither source", {}, /exactly one of `url`/],
    ["both sources", { url: "https://example.org/a", data: "QUJD" }, /exactly one of `url`/],
    ["a sign that is not in base64", { data: "QU*D" }, /^data: is not base64/],
    ["base64 that breaks off", { data: "QUJDR" }, /^data: is not base64/],
    ["too little padding", { data: "QQ=" }, /^data: is not base64/],
    ["too much padding", { data: "QUJD====" }, /^data: is not base64/],
    ["something behind the padding", { data: "QQ==QUJD" }, /^data: is not base64/],
    ["a data: URL that is no base64", { data: "data:text/plain,hello" }, /^data: is not base64/],
    ["empty data", { data: "" }, /^data: is empty\. .*`url`/],
    ["a data: URL without data", { data: "data:image/png;base64," }, /^data: is empty/],
    ["an invalid media type", { data: "QUJD", contentType: "png" }, /^contentType: /],
    ["too much data", { data: "A".repeat((FileCalls.maxBytes / 3) * 4 + 8) }, /larger than 200 MiB.*REST/],
    ["plain http", { url: "http://receiver.example.com/a" }, /must begin with https/],
    ["a private address", { url: "https://10.0.0.1/hunter2" }, /only public ones/],
    ["a malformed URL", { url: "https://receiver example.com\\@10.0.0.1/" }, /no valid URL/],
    [
      "a file of ours",
      { url: `https://media.test/media/${"A".repeat(24)}/a.png` },
      /at which there is no file/
    ]
  ] as const)
    it.effect(`rejects ${what}`, () =>
      Effect.gen(function* () {
        const text = yield* errorAnswer(given)
        assert.match(text, expected)
        assert.notMatch(text, /10\.0\.0\.1|hunter2/)
      })
    )

  for (const [what, expected, handler] of [
    [
      "redirects to itself",
      /redirects more than five times/,
      (_, response) => response.writeHead(302, { location: "/b" }).end()
    ],
    [
      "redirects to a private address",
      /only public ones/,
      (_, response) => response.writeHead(302, { location: "https://10.0.0.1/hunter2" }).end()
    ],
    ["has no such file", /HTTP status 404/, (_, response) => response.writeHead(404).end("hunter2")],
    ["breaks off", /closed the connection/, (_, response) => response.write("x", () => response.destroy())],
    [
      "announces too much",
      /larger than 200 MiB/,
      (_, response) => response.writeHead(200, { "content-length": FileCalls.maxBytes + 1 }).flushHeaders()
    ],
    [
      "sends too much",
      /larger than 200 MiB/,
      (_, response) => response.end(Buffer.alloc(FileCalls.maxBytes + 1))
    ]
  ] as const satisfies ReadonlyArray<readonly [string, RegExp, Http.RequestListener]>)
    it.effect(`rejects the URL of a server that ${what}`, () =>
      Effect.gen(function* () {
        const text = yield* errorAnswer({ url: yield* serve(handler) })
        assert.match(text, expected)
        assert.notMatch(text, /receiver|127\.0\.0\.1|hunter2/)
      }).pipe(Effect.scoped)
    )

  it.effect("rejects a caller whose key may not write files", () =>
    Effect.gen(function* () {
      const { grant } = Library.alice
      const caller = { ...Library.alice, grant: { ...grant, scopes: ["files:read"] as const } }
      assert.match(yield* errorAnswer({ data: "QUJD" }, { caller }), /lacks the scope `files:write`/)
    })
  )
  it.effect("gives up on a server that drips, and reports progress meanwhile", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const url = yield* serve((_request, response) => {
        response.write("a")
        Deferred.doneUnsafe(asked, Effect.void)
      })
      const client = yield* FileCalls.connect()
      const calling = yield* Effect.forkChild(FileCalls.callOf(client, { url }))
      const told = yield* Queue.take(client.notifications)
      assert.match(JSON.stringify(told), /"total":300,"message":"Downloading: [01] bytes so far"/)
      yield* Deferred.await(asked)
      yield* TestClock.adjust("5 minutes")
      const { isError, text } = yield* Fiber.join(calling)
      assert.isTrue(isError)
      assert.match(text, /within 5 minutes/)
      assert.deepStrictEqual(yield* FileCalls.scratchFiles, [])
    }).pipe(Effect.scoped)
  )
})

it.effect("upload_file rejects what does not fit into the account's quota", () =>
  Effect.gen(function* () {
    const text = yield* errorAnswer({ data: bytes.toString("base64") })
    assert.match(text, /0 of 999 bytes are used/)
  }).pipe(Effect.provide(FileCalls.local({ quota: "999B" })))
)

it.effect("upload_file downloads nothing for an account without any room", () =>
  Effect.gen(function* () {
    let asked = 0
    const url = yield* serve((_request, response) => {
      asked++
      response.end(bytes)
    })
    assert.match(yield* errorAnswer({ url }), /0 of 0 bytes are used/)
    assert.strictEqual(asked, 0)
  }).pipe(Effect.scoped, Effect.provide(FileCalls.local({ quota: "0B" })))
)
