/** The addresses at which fal's client uploads the parts of a large file. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { AccountId } from "#domain/Ids.ts"
import * as UploadTicket from "#src/edges/fal/files/UploadTicket.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { send } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call } from "#test/support/src/edges/http/Calls.ts"
import * as FileCalls from "#test/support/src/edges/http/FileCalls.ts"

const rest = "https://rest.fal.ai/storage/upload"

const begin = Effect.map(
  call({
    method: "POST",
    path: "/compat/fal",
    headers: {
      "content-type": "application/json",
      "x-fal-target-url": `${rest}/initiate-multipart?storage_type=x`
    },
    body: JSON.stringify({ file_name: "cat.png", content_type: "image/png" })
  }),
  ({ json, status, text }) => {
    assert.strictEqual(status, 200, text)
    const { pathname, search } = new URL(Reflect.get(Object(json), "upload_url"))
    return { pathname, search, fileUrl: String(Reflect.get(Object(json), "file_url")) }
  }
)

type Begun = Effect.Success<typeof begin>

const put = ({ pathname, search }: Pick<Begun, "pathname" | "search">, part: string, body = "bytes") =>
  Effect.flatMap(TestServer.TestServer, ({ port }) =>
    send(port, { method: "PUT", path: `${pathname}/${part}${search}`, body })
  )

const complete = ({ pathname, search }: Begun, parts: unknown) =>
  Effect.flatMap(TestServer.TestServer, ({ port }) =>
    send(port, {
      method: "POST",
      path: `${pathname}/complete${search}`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ parts })
    })
  )

layer(TestServer.layer(), { excludeTestServices: true })("an upload in parts of fal's client", (it) => {
  it.effect("is a file after its end, whether or not the client was told the parts' ETags", () =>
    Effect.gen(function* () {
      for (const named of [true, false]) {
        const upload = yield* begin
        const { json } = yield* put(upload, "1")
        assert.deepStrictEqual(json, { partNumber: 1, etag: FileCalls.md5("bytes") })
        const ended = yield* complete(upload, [named ? json : {}])
        assert.deepStrictEqual([ended.status, ended.json], [200, { file_url: upload.fileUrl }])
        assert.strictEqual((yield* FileCalls.get(upload.fileUrl)).text, "bytes")
        assert.strictEqual((yield* complete(upload, [json])).status, 409)
      }
    })
  )

  it.effect("refuses a changed or expired address, and one of another upload or account", () =>
    Effect.gen(function* () {
      const upload = yield* begin
      const other = yield* begin
      const changed = (name: string, value: string) => {
        const query = new URLSearchParams(upload.search)
        query.set(name, value)
        return { ...upload, search: `?${query}` }
      }
      const addresses = [
        { ...upload, pathname: other.pathname },
        changed("account", "beta"),
        changed("uploadId", new URLSearchParams(other.search).get("uploadId") ?? ""),
        changed("expires", "9999999999"),
        changed("signature", "x")
      ]
      for (const address of addresses) {
        const refused = yield* put(address, "1")
        assert.deepStrictEqual([refused.status, (yield* complete(address, [])).status], [403, 403])
        assert.deepInclude(refused.json, { error_type: "signature_mismatch" })
      }
      const steady = yield* SteadyTime
      const dayAgo = Effect.map(steady.now, (now) => now - 86_400_000)
      const tickets = yield* Effect.provideService(UploadTicket.make, SteadyTime, { ...steady, now: dayAgo })
      const query = new URLSearchParams(upload.search)
      const late = yield* tickets.issue({
        caller: { accountId: AccountId.make(query.get("account") ?? "") },
        uploadKey: upload.pathname.split("/").at(-1) ?? "",
        uploadId: query.get("uploadId") ?? ""
      })
      const expired = yield* put(new URL(late), "1")
      assert.strictEqual(expired.status, 403)
      assert.deepInclude(expired.json, { error_type: "url_expired" })
      const bare = yield* put({ ...upload, search: "" }, "1")
      assert.strictEqual(bare.status, 422)
    })
  )

  it.effect("names what is wrong with a part or the list of parts", () =>
    Effect.gen(function* () {
      const upload = yield* begin
      for (const part of ["0", "10001", "x"]) assert.strictEqual((yield* put(upload, part)).status, 422, part)
      assert.strictEqual((yield* complete(upload, [])).status, 422)
      assert.strictEqual((yield* complete(upload, [{}])).status, 422)
      yield* put(upload, "1")
      const fewer = yield* complete(upload, [{}, {}])
      assert.strictEqual(fewer.status, 422)
      assert.match(fewer.text, /as many as/)
      const wrong = yield* complete(upload, [{ partNumber: 1, etag: "x" }])
      assert.strictEqual(wrong.status, 422)
      assert.deepInclude(wrong.json, { error_type: "parts_refused" })
    })
  )
})
