/** What presigned URLs do not allow: any store refuses it, and the file is unchanged. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Calls from "#test/support/src/features/files/upload-flows/Calls.ts"
import { curl } from "#test/support/src/features/files/upload-flows/Curl.ts"
import {
  overBothStores,
  running,
  UploadServer
} from "#test/support/src/features/files/upload-flows/UploadServer.ts"

const cat = { file_name: "cat.png", content_type: "image/png" }

/** With a changed first character of the signature. */
const tampered = (url: string): string =>
  url.replace(/(?<=[?&](?:X-Amz-S|s)ignature=)./, (first) => (first === "0" ? "1" : "0"))

const withParameter = (url: string, change: (query: URLSearchParams) => void): string => {
  const changed = new URL(url)
  change(changed.searchParams)
  return changed.href
}

overBothStores("a presigned URL", (store) =>
  running(store, (it) => {
    /** Refused with one of these, and nothing can be read afterwards. */
    const refused = Effect.fnUntraced(function* (
      statuses: ReadonlyArray<number>,
      announced: Calls.Announced,
      call: (uploadUrl: string) => ReturnType<typeof Calls.put>
    ) {
      const { file_url, upload_url } = yield* Calls.initiate(announced)
      const { status, text } = yield* call(upload_url)
      assert.include(statuses, status, text)
      assert.strictEqual((yield* curl(file_url)).status, 404)
      // It is still valid for its own purpose.
      const bytes = "x".repeat(announced.size ?? 1)
      assert.strictEqual((yield* Calls.put(upload_url, bytes, announced.content_type)).status, 200)
      assert.strictEqual((yield* curl(file_url)).text, bytes)
    })

    it.effect("accepts only the declared type", () =>
      Effect.gen(function* () {
        // A bucket takes any type, and the server compares it when it finds the file.
        const statuses = store === "disk" ? [403] : [200]
        yield* refused(statuses, cat, (url) => Calls.put(url, "x", "image/jpeg"))
        yield* refused(statuses, cat, (url) => Calls.put(url, "x", "text/html"))
      })
    )

    it.effect("requires the declared number of bytes", () =>
      Effect.gen(function* () {
        const four = { ...cat, size: 4 }
        yield* refused(store === "disk" ? [400] : [403], four, (url) => Calls.put(url, "abc", "image/png"))
        yield* refused(store === "disk" ? [413] : [403], four, (url) => Calls.put(url, "abcde", "image/png"))
        yield* refused(store === "disk" ? [400] : [403], four, (url) => Calls.put(url, "", "image/png"))
      })
    )

    it.effect("is valid for PUT only", () =>
      Effect.gen(function* () {
        const other = (method: string) => (url: string) =>
          curl("--request", method, "--header", "Content-Type: image/png", "--data-binary", "x", url)
        const statuses = store === "disk" ? [405] : [400, 403, 405, 411, 412]
        for (const method of ["POST", "PATCH", "DELETE"]) yield* refused(statuses, cat, other(method))
      })
    )

    it.effect("is valid only as signed", () =>
      Effect.gen(function* () {
        const changes: ReadonlyArray<(url: string) => string> = [
          tampered,
          (url) =>
            withParameter(url, (query) => query.delete(store === "disk" ? "signature" : "X-Amz-Signature")),
          (url) =>
            withParameter(url, (query) =>
              query.set(store === "disk" ? "expires" : "X-Amz-Expires", "3599999")
            ),
          (url) => withParameter(url, (query) => query.set("partNumber", "1"))
        ]
        for (const change of changes) {
          yield* refused([400, 403], cat, (url) => {
            assert.notStrictEqual(change(url), url)
            return Calls.put(change(url), "x", "image/png")
          })
        }
        yield* refused([403], cat, (url) => Calls.put(tampered(url), "x", "image/png"))
      })
    )

    it.effect("of one file is invalid for another file, and of one part for another part", () =>
      Effect.gen(function* () {
        const other = yield* Calls.initiate(cat)
        const idOf = (url: string) => /[\w-]{24}/.exec(new URL(url).pathname)?.[0] ?? ""
        yield* refused([403], cat, (url) =>
          Calls.put(other.upload_url.replace(idOf(other.upload_url), idOf(url)), "x", "image/png")
        )
        const upload = yield* Calls.initiateMultipart(cat)
        const second = withParameter(yield* Calls.partUrl(upload, 1), (query) => query.set("partNumber", "2"))
        assert.strictEqual((yield* Calls.put(second, "x")).status, 403)
        assert.deepInclude(Calls.jsonOf(yield* Calls.listParts(upload)), { parts: [] })
      })
    )

    it.effect("is issued with a key only, and needs none itself", () =>
      Effect.gen(function* () {
        const { url } = yield* UploadServer
        const body = ["--header", "Content-Type: application/json", "--data", JSON.stringify(cat)]
        for (const route of ["initiate", "initiate-multipart", "complete"]) {
          const path = `${url}/storage/upload/${route}`
          assert.strictEqual((yield* curl(...body, path)).status, 401)
          assert.strictEqual(
            (yield* curl("--header", "Authorization: Key no:such", ...body, path)).status,
            401
          )
        }
        for (const path of ["/storage/upload/multipart-url", "/storage/upload/parts", "/files", "/files/x"]) {
          assert.strictEqual((yield* curl(url + path)).status, 401)
        }
      })
    )

    it.effect("without an uploaded body leaves a pending file and a URL that is 404", () =>
      Effect.gen(function* () {
        const { file_url } = yield* Calls.initiate(cat)
        assert.strictEqual((yield* curl(file_url)).status, 404)
        assert.strictEqual((yield* curl("--head", file_url)).status, 404)
        const model = yield* Calls.post("/vision/blurhash?wait=60", { image: file_url })
        assert.notStrictEqual(Reflect.get(Object(Calls.jsonOf(model)), "billingStatus"), "charged")
        assert.nestedInclude(Calls.jsonOf(yield* Calls.get(`/files/${Calls.idOf(file_url)}`)), {
          status: "pending"
        })
      })
    )
  })
)
