/** Bodies that are read in a separate thread are answered like all others. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { builtinModels } from "#src/features/catalog/models/BuiltinCatalog.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"

const post = (path: string, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  call({ method: "POST", path, headers: { ...jsonHeaders, ...headers }, body })

/** White space also makes a body large. */
const large = (body: string) => body + " ".repeat(300 * 1024)

const visionModels: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
  ["vision/blurhash", { xComponents: 2 }],
  ["vision/convert", { format: "jpeg" }],
  ["vision/ocr", {}],
  ["vision/resize", { width: 2_000, height: 3_000, fit: "cover" }],
  ["vision/resize", { width: 20 }]
]

const withoutId = (json: unknown) => ({ ...Object(json), request_id: null })

const refused: ReadonlyArray<readonly [string, string, string]> = [
  ["no JSON", "/sandbox/echo", '{"value":'],
  ["no object", "/sandbox/echo", "[1]"],
  ["a number out of range", "/sandbox/echo", '{"value":1e999}'],
  ["an input that breaks the schema", "/sandbox/echo", '{"delayMs":"never","more":1}'],
  ["a webhook that is none", "/sandbox/echo", '{"value":1,"webhook":5,"webhook_events_filter":["never"]}'],
  ["a webhook's literal address", "/sandbox/echo", '{"value":1,"webhook":"https://127.0.0.1/"}'],
  ["an unknown model", "/sandbox/nothing", '{"value":1}']
]

layer(TestServer.layer(), { excludeTestServices: true })("large bodies", (it) => {
  it.effect.each(refused)("with %s are rejected like small ones", ([, path, body]) =>
    Effect.gen(function* () {
      const small = yield* post(path, body)
      const reply = yield* post(path, large(body))
      assert.isAtLeast(reply.status, 400)
      assertEnvelope(reply, small.status)
      assert.deepStrictEqual(withoutId(reply.json), withoutId(small.json))
    })
  )

  it.effect("of bytes that are not text are 400", () =>
    Effect.gen(function* () {
      const bytes = Buffer.from(large('{"value":"?"}'))
      bytes[10] = 0xff
      assertEnvelope(yield* post("/sandbox/echo", bytes), 400)
    })
  )

  it.effect("are stored unchanged, without the reserved fields", () =>
    Effect.gen(function* () {
      const value = { z: [1.5, "ü€😀", null], a: { 10: true, 2: "\u0000" }, text: "x".repeat(1_000_000) }
      const { json, status } = yield* post(
        "/sandbox/echo",
        JSON.stringify({ value, webhook: "https://93.184.215.14/" })
      )
      assert.strictEqual(status, 200)
      const retrieved = yield* call({ path: `/requests/${Object(json).request_id}` })
      assert.deepStrictEqual(Object(retrieved.json).input, { value })
    })
  )

  it.effect.each(builtinModels.map(({ model }) => model))("of $endpoint cost what small ones do", (model) =>
    Effect.gen(function* () {
      const path = `/${model.endpoint}`
      const body = JSON.stringify(model.exampleInput)
      const small = yield* post(path, body)
      const reply = yield* post(path, large(body))
      assert.strictEqual(reply.status, 200, reply.text)
      assert.deepStrictEqual(Object(reply.json).estimatedCost, Object(small.json).estimatedCost)
    })
  )

  it.effect.each(visionModels)("with a picture for %s cost what small ones do", ([endpoint, input]) =>
    Effect.gen(function* () {
      const ofPicture = (length: number) =>
        post(
          `/${endpoint}`,
          JSON.stringify({ ...input, image: `data:image/png;base64,${"A".repeat(length)}` })
        )
      const small = yield* ofPicture(4)
      const reply = yield* ofPicture(300 * 1024)
      assert.strictEqual(reply.status, 200, reply.text)
      assert.deepStrictEqual(Object(reply.json).estimatedCost, Object(small.json).estimatedCost)
    })
  )

  it.effect("return their first answer again under an idempotency key", () =>
    Effect.gen(function* () {
      const key = { "idempotency-key": "large" }
      const body = large('{"value":"once"}')
      const first = yield* post("/sandbox/echo", body, key)
      const again = yield* post("/sandbox/echo", body, key)
      assert.deepStrictEqual(again.json, first.json)
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      const spaced = yield* post("/sandbox/echo", `${body} `, key)
      assert.deepStrictEqual(spaced.json, first.json)
      assertEnvelope(yield* post("/sandbox/echo", large('{"value":"twice"}'), key), 409)
    })
  )
})
