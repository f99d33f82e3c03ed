import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as JsonPieces from "#src/platform/views/JsonPieces.ts"
import { StreamedBody } from "#src/platform/views/StreamedBody.ts"
import { InlineText, StoredText } from "#streams/PayloadText.ts"

const inline = new InlineText('{"1":[ 1.0 ],"ä":null}')

const stored = (text: string) => {
  const bytes = Buffer.from(text)
  return new StoredText(
    bytes.length,
    Stream.suspend(() => Stream.make(bytes.subarray(0, 2).slice(), bytes.subarray(2).slice()))
  )
}

const textOf = (body: string | StreamedBody) =>
  body instanceof StreamedBody ? Stream.mkString(Stream.decodeText(body.chunks)) : Effect.succeed(body)

describe("an object with payloads", () => {
  it("contains their text as stored, between the other members as JSON", () => {
    const body = JsonPieces.ofRecord({ 'a"b': [1, { c: "é" }], input: inline, gone: undefined, output: null })
    assert.strictEqual(body, `{"a\\"b":[1,{"c":"é"}],"input":${inline.text},"output":null}`)
    assert.strictEqual(JsonPieces.ofRecord({}), "{}")
  })

  it.effect("is streamed when one of them is not in memory, with a known length", () =>
    Effect.gen(function* () {
      const body = JsonPieces.ofRecord({ id: "é", input: inline, output: stored('"☃ and more"'), last: 1 })
      const text = `{"id":"é","input":${inline.text},"output":"☃ and more","last":1}`
      assert.instanceOf(body, StreamedBody)
      assert.strictEqual(body.length, Buffer.byteLength(text))
      assert.strictEqual(yield* textOf(body), text)
    })
  )
})

describe("a list of objects with payloads", () => {
  it.effect("has them in order, in memory or not", () =>
    Effect.gen(function* () {
      const data = [{ input: inline }, { input: stored("[1,2,3]") }, { input: stored("true"), output: null }]
      const empty: ReadonlyArray<object> = []
      const page = { page: 1, data, next: null }
      const body = JsonPieces.ofList(page, page.data)
      assert.strictEqual(
        yield* textOf(body),
        `{"page":1,"data":[{"input":${inline.text}},{"input":[1,2,3]},{"input":true,"output":null}],"next":null}`
      )
      assert.strictEqual(JsonPieces.ofList({ data: empty }, empty), '{"data":[]}')
    })
  )
})
