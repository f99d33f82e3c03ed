import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ManifestFolder from "#test/support/src/features/manifests/ManifestFolder.ts"

const openai = (endpoint: string) =>
  `{ adapter: openai, url: "http://10.0.0.7:8000/v1", options: { endpoint: ${endpoint}, model: m } }`

const lines = (more: string, change: readonly [string, string] = ["", ""]) =>
  Effect.map(
    ManifestFolder.check({ "m.yaml": ManifestFolder.model("acme/m", more).replace(...change) }),
    (checked) => checked.lines.map((line) => line.replace(/^m\.yaml:\d+:\d+: /, ""))
  )

const http = '{ adapter: http, url: "http://10.0.0.5:9000" }'
const object = "outputSchema: { type: object }"

describe("Manifests of models that stream and serve", () => {
  it.effect("are valid when adapter and schemas fit", () =>
    Effect.gen(function* () {
      const serves = "output: { stream: openai }\nserves: [chat, responses]"
      assert.deepStrictEqual(yield* lines(serves, [http, openai("chat")]), [])
      assert.deepStrictEqual(
        yield* lines("output: { stream: text }", [object, "outputSchema: { type: string }"]),
        []
      )
      assert.deepStrictEqual(
        yield* lines("output: { stream: items }", [object, "outputSchema: { type: [array, 'null'] }"]),
        []
      )
      assert.deepStrictEqual(yield* lines("output: { stream: last }\nserves: [images]"), [])
    })
  )

  it.effect("are refused when they do not", () =>
    Effect.gen(function* () {
      const openaiOnly =
        "Expected openai with the endpoint chat or completions, because output.stream is openai"
      const stream = "output: { stream: openai }"
      assert.deepStrictEqual(yield* lines(stream), [`provider.adapter: ${openaiOnly}`])
      assert.deepStrictEqual(yield* lines(stream, [http, openai("embeddings")]), [
        `provider.adapter: ${openaiOnly}`
      ])
      assert.deepStrictEqual(yield* lines("output: { stream: text }"), [
        "output.stream: Expected an outputSchema of type string: chunks of text add up to one"
      ])
      assert.deepStrictEqual(yield* lines("output: { stream: items }"), [
        "output.stream: Expected an outputSchema of type array: items add up to a list"
      ])
      assert.deepStrictEqual(yield* lines("output: { stream: last }\nserves: [chat]"), [
        "output.stream: Expected openai or text, because of serves: last cannot become chunks of a text"
      ])
      const twice = yield* lines("serves: [chat, chat]")
      assert.deepStrictEqual(twice, ["serves: Expected each call once"])
    })
  )
})
