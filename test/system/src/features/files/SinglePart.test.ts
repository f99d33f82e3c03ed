/** The contract's single-part flow ("Uploads") on a real server, from the announcement to the deletion. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import sharp from "sharp"
import { FileBody, ListBody } from "#src/features/files/views/FileView.ts"
import * as Calls from "#test/support/src/features/files/upload-flows/Calls.ts"
import { curl } from "#test/support/src/features/files/upload-flows/Curl.ts"
import * as SdkPut from "#test/support/src/features/files/upload-flows/SdkPut.ts"
import {
  overBothStores,
  running,
  UploadServer
} from "#test/support/src/features/files/upload-flows/UploadServer.ts"

/** Including its random prefix. */
const nameIn = (url: string): string => decodeURIComponent(new URL(url).pathname.split("/")[3] ?? "")

const picture = Effect.promise(() =>
  sharp({ create: { width: 8, height: 4, channels: 3, background: "teal" } })
    .png()
    .toBuffer()
)

const cat = { file_name: "cat.png", content_type: "image/png" }

const decodeFile = Schema.decodeUnknownSync(Schema.fromJsonString(FileBody))
const decodeList = Schema.decodeUnknownSync(Schema.fromJsonString(ListBody))

const uploaded = Effect.fnUntraced(function* (bytes: string | Uint8Array, announced: Calls.Announced = cat) {
  const { file_url, upload_url } = yield* Calls.initiate(announced)
  assert.strictEqual((yield* Calls.put(upload_url, bytes, announced.content_type)).status, 200)
  return file_url
})

overBothStores("a file in one PUT", (store) =>
  running(store, (it) => {
    it.effect.each([
      ["curl", Calls.put],
      ["the SDK", SdkPut.put]
    ] as const)("uploaded by %s is 404 before, then readable, then a valid input of a model", ([, put]) =>
      Effect.gen(function* () {
        const { place } = yield* UploadServer
        const bytes = yield* picture
        const { file_url, upload_url } = yield* Calls.initiate({ ...cat, size: bytes.length })
        assert.strictEqual((yield* curl(file_url)).status, 404)
        const answer = yield* put(upload_url, bytes, "image/png")
        assert.deepStrictEqual([answer.status, Calls.etagOf(answer)], [200, Calls.md5(bytes)])

        const file = yield* curl(file_url)
        assert.deepStrictEqual([file.status, file.headers["content-type"]], [200, "image/png"])
        assert.isTrue(file.bytes.equals(bytes))

        const kept = yield* place.head(`media/${Calls.idOf(file_url)}`)
        assert.deepStrictEqual(kept, { size: bytes.length, etag: Calls.md5(bytes) })

        const resized = yield* Calls.post("/vision/resize?wait=60", { image: file_url, width: 2 })
        assert.strictEqual(resized.status, 200)
        assert.nestedInclude(Calls.jsonOf(resized), { status: "COMPLETED", "output.image.width": 2 })
        const hashed = yield* Calls.post("/vision/blurhash?wait=60", { image: file_url })
        assert.nestedInclude(Calls.jsonOf(hashed), { status: "COMPLETED", "output.height": 4 })
      })
    )

    it.effect.each(["image/png", "Image/PNG; charset=utf-8", 'image/png;name="a b"', undefined])(
      "sent as %s is served as the declared image/png",
      (sent) =>
        Effect.gen(function* () {
          const { file_url, upload_url } = yield* Calls.initiate({ ...cat, size: 1 })
          assert.strictEqual((yield* Calls.put(upload_url, "x", sent)).status, 200)
          const file = yield* curl(file_url)
          assert.deepStrictEqual([file.status, file.headers["content-type"]], [200, "image/png"])
        })
    )

    it.effect("sent as another type is refused by a message with both, and can be sent again", () =>
      Effect.gen(function* () {
        const { file_url, upload_url } = yield* Calls.initiate({ ...cat, size: 1 })
        const answer = yield* Calls.put(upload_url, "x", "text/html; charset=utf-8")
        const read = yield* curl(file_url)
        assert.strictEqual(read.status, 404)
        // S3 takes any type, so that only the server's answer can name it.
        assert.strictEqual(answer.status, store === "S3" ? 200 : 403)
        const refusal = Calls.jsonOf(store === "S3" ? read : answer)
        assert.nestedInclude(refusal, { "details.code": "CONTENT_TYPE_MISMATCH" })
        assert.match(String(Reflect.get(Object(refusal), "error")), /text\/html, but image\/png/)
        assert.strictEqual((yield* Calls.put(upload_url, "x", "image/png")).status, 200)
        assert.strictEqual((yield* curl(file_url)).status, 200)
      })
    )

    it.effect("keeps its name behind a random prefix, and no name leads elsewhere", () =>
      Effect.gen(function* () {
        const { place } = yield* UploadServer
        const names = [
          ["cat.png", "cat.png"],
          ["cat.png", "cat.png"],
          ["../../../etc/passwd", "passwd"],
          ["..\\..\\boot.ini", "boot.ini"],
          ["%2e%2e%2fup", "%2e%2e%2fup"],
          ["a\u0000b\r\nX-Header: 1.txt", "abX-Header: 1.txt"],
          ["ü ☃ 😀 “quoted”.png", "ü ☃ 😀 “quoted”.png"],
          ["turned\u202egnp.exe", "turnedgnp.exe"],
          ["..", "file"]
        ] as const
        const ids = new Set<string>()
        for (const [file_name, kept] of names) {
          const { file_url, upload_url } = yield* Calls.initiate({ ...cat, file_name })
          assert.match(file_url, /\/media\/[\w-]{24}\/[^/]+$/)
          assert.strictEqual(nameIn(file_url), Calls.idOf(file_url).slice(0, 8) + "-" + kept)
          assert.strictEqual((yield* Calls.put(upload_url, file_name, "image/png")).status, 200)
          const file = yield* curl(file_url)
          assert.deepStrictEqual([file.status, file.text], [200, file_name])
          assert.isUndefined(file.headers["x-header"])
          assert.deepStrictEqual(yield* Calls.stored(file_url), [`media/${Calls.idOf(file_url)}`])
          ids.add(Calls.idOf(file_url))
        }
        assert.strictEqual(ids.size, names.length)
        for (const key of yield* place.keys("")) assert.match(key, /^(?:media\/[\w-]{24}$|payloads\/)/)
      })
    )

    it.effect("keeps the end of a name that is too long for a file system", () =>
      Effect.gen(function* () {
        for (const file_name of [`${"long".repeat(250)}.png`, `${"😀".repeat(400)}.png`]) {
          const url = yield* uploaded("x", { ...cat, file_name })
          const kept = nameIn(url).slice("12345678-".length)
          assert.isTrue(file_name.endsWith(kept) && kept.endsWith(".png"), kept)
          assert.isAtMost(Buffer.byteLength(kept), 255)
          assert.strictEqual((yield* curl(url)).text, "x")
        }
      })
    )

    it.effect("supports ranges and conditions", () =>
      Effect.gen(function* () {
        const url = yield* uploaded("0123456789")
        const tag = `"${Calls.md5("0123456789")}"`
        const read = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
          const { headers, status, text } = yield* curl(...args, url)
          assert.deepStrictEqual([headers["etag"], headers["accept-ranges"]], [tag, "bytes"])
          assert.strictEqual(headers["x-content-type-options"], "nosniff")
          return [status, text, headers["content-range"]]
        })
        assert.deepStrictEqual(yield* read(), [200, "0123456789", undefined])
        assert.deepStrictEqual(yield* read("--head"), [200, "", undefined])
        assert.deepStrictEqual(yield* read("--range", "2-4"), [206, "234", "bytes 2-4/10"])
        assert.deepStrictEqual(yield* read("--range", "-3"), [206, "789", "bytes 7-9/10"])
        assert.deepStrictEqual(yield* read("--range", "8-"), [206, "89", "bytes 8-9/10"])
        assert.deepStrictEqual(yield* read("--header", `If-None-Match: ${tag}`), [304, "", undefined])
        assert.deepStrictEqual((yield* read("--header", 'If-None-Match: "x"'))[0], 200)
        const ifRange = (value: string) => read("--range", "2-4", "--header", `If-Range: ${value}`)
        assert.deepStrictEqual(yield* ifRange(tag), [206, "234", "bytes 2-4/10"])
        assert.deepStrictEqual(yield* ifRange('"x"'), [200, "0123456789", undefined])
        const beyond = yield* curl("--range", "10-", url)
        assert.deepStrictEqual([beyond.status, beyond.headers["content-range"]], [416, "bytes */10"])
      })
    )

    it.effect("is listed as pending, and with its details once uploaded", () =>
      Effect.gen(function* () {
        const { file_url, upload_url } = yield* Calls.initiate({
          file_name: "n.txt",
          content_type: "text/plain"
        })
        const id = Calls.idOf(file_url)
        const listed = Effect.map(Calls.get("/files?contentType=text/*"), ({ text }) =>
          decodeList(text).data.find((file) => file.id === id)
        )
        const known = {
          id,
          fileName: "n.txt",
          url: file_url,
          contentType: "text/plain",
          source: "upload"
        } as const
        const pending = { ...known, status: "pending", size: null, checksums: { sha256: null } } as const
        assert.deepInclude(yield* listed, pending)
        assert.deepInclude(decodeFile((yield* Calls.get(`/files/${id}`)).text), pending)
        yield* Calls.put(upload_url, "words", "text/plain")
        const sha256 = store === "disk" ? Calls.sha256("words") : null
        const there = { ...known, status: "uploaded", size: 5, checksums: { sha256 } } as const
        assert.deepInclude(yield* listed, there)
        assert.deepInclude(decodeFile((yield* Calls.get(`/files/${id}`)).text), there)
      })
    )

    it.effect("is 410 when deleted, and its bytes are removed from the store", () =>
      Effect.gen(function* () {
        const url = yield* uploaded("short-lived")
        const path = `/files/${Calls.idOf(url)}`
        assert.lengthOf(yield* Calls.stored(url), 1)
        assert.strictEqual((yield* Calls.remove(path)).status, 204)
        assert.deepStrictEqual(yield* Calls.stored(url), [])
        assert.deepStrictEqual([(yield* curl(url)).status, (yield* Calls.get(path)).status], [410, 410])
        assert.strictEqual((yield* Calls.remove(path)).status, 204)
      })
    )
  })
)
