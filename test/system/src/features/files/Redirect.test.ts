/** `MEDIA_DELIVERY=redirect`: files are read from the bucket, through URLs that the server has checked. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as Calls from "#test/support/src/features/files/upload-flows/Calls.ts"
import { curl } from "#test/support/src/features/files/upload-flows/Curl.ts"
import { running, UploadServer } from "#test/support/src/features/files/upload-flows/UploadServer.ts"

const page = { file_name: "a page.html", content_type: "text/html" }

const uploaded = Effect.fnUntraced(function* (announced: Calls.Announced, bytes: string) {
  const { file_url, upload_url } = yield* Calls.initiate(announced)
  assert.strictEqual((yield* Calls.put(upload_url, bytes, announced.content_type)).status, 200)
  return file_url
})

describe.skipIf(S3Programs.isMissing)(S3Programs.named("a file that is read from the bucket"), () =>
  running(
    "S3",
    (it) => {
      it.effect.each([
        [page, "attachment"],
        [{ file_name: "a cat.png", content_type: "image/png" }, "inline"]
      ] as const)("%j is returned by its URL, with its type and as an %s", ([announced, kind]) =>
        Effect.gen(function* () {
          const { url } = yield* UploadServer
          const file = yield* uploaded(announced, "0123456789")
          const { headers, status } = yield* curl(file)
          assert.deepStrictEqual([status, headers["cache-control"]], [302, "no-store"])
          assert.notStrictEqual(new URL(headers["location"] ?? "").origin, url)
          const got = yield* curl("--location", file)
          assert.deepStrictEqual([got.status, got.text], [200, "0123456789"])
          assert.strictEqual(got.headers["content-type"], announced.content_type)
          assert.match(got.headers["content-disposition"] ?? "", new RegExp(`^${kind}; filename="a `))
        })
      )

      it.effect("has the declared type there, whatever the bytes were sent with", () =>
        Effect.gen(function* () {
          const { file_url, upload_url } = yield* Calls.initiate(page)
          assert.strictEqual((yield* Calls.put(upload_url, "<p>", "Text/HTML; a=b")).status, 200)
          assert.strictEqual((yield* curl("--location", file_url)).headers["content-type"], "text/html")
          // Replaces the bytes. On the way through the server the type is the declared one, too.
          assert.strictEqual((yield* Calls.put(upload_url, "<svg>", "image/svg+xml")).status, 200)
          const replaced = yield* curl("--location", file_url)
          assert.deepStrictEqual([replaced.text, replaced.headers["content-type"]], ["<svg>", "text/html"])
          assert.match(replaced.headers["content-disposition"] ?? "", /^attachment/)
        })
      )

      it.effect("supports HEAD, ranges and conditions", () =>
        Effect.gen(function* () {
          const file = yield* uploaded(page, "0123456789")
          const head = yield* curl("--head", "--location", file)
          assert.deepStrictEqual([head.status, head.headers["content-length"], head.text], [200, "10", ""])
          const part = yield* curl("--range", "2-4", "--location", file)
          assert.deepStrictEqual([part.status, part.text], [206, "234"])
          const tag = head.headers["etag"]
          const known = yield* curl("--header", `If-None-Match: ${tag}`, "--location", file)
          assert.strictEqual(known.status, 304)
        })
      )

      it.effect("made of parts is read as one", () =>
        Effect.gen(function* () {
          const upload = yield* Calls.initiateMultipart(page)
          const part = yield* Calls.putPart(upload, 1, "in parts")
          assert.strictEqual((yield* Calls.complete(upload, [part])).status, 200)
          const got = yield* curl("--location", upload.fileUrl)
          assert.deepStrictEqual([got.text, got.headers["content-type"]], ["in parts", "text/html"])
        })
      )

      it.effect("is not redirected to before its upload or after its deletion", () =>
        Effect.gen(function* () {
          const { file_url } = yield* Calls.initiate(page)
          assert.strictEqual((yield* curl(file_url)).status, 404)
          const file = yield* uploaded(page, "gone soon")
          const { headers } = yield* curl(file)
          assert.strictEqual((yield* Calls.remove(`/files/${Calls.idOf(file)}`)).status, 204)
          assert.strictEqual((yield* curl(file)).status, 410)
          assert.strictEqual((yield* curl(headers["location"] ?? "")).status, 404)
        })
      )

      it.effect("is a valid input of a model", () =>
        Effect.gen(function* () {
          const made = yield* Calls.post("/sandbox/media?wait=60", { width: 8, height: 4 })
          const image = Reflect.get(Object(Reflect.get(Object(Calls.jsonOf(made)), "output")), "image")
          const hashed = yield* Calls.post("/vision/blurhash?wait=60", {
            image: Reflect.get(Object(image), "url")
          })
          assert.nestedInclude(Calls.jsonOf(hashed), { status: "COMPLETED", "output.width": 8 })
        })
      )
    },
    { MEDIA_DELIVERY: "redirect" }
  )
)
