import { assert, describe, it } from "@effect/vitest"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Chunks from "#src/edges/openai/completing/Chunks.ts"

const names = { id: "chatcmpl-1", model: "acme/llama", created: 1 }

const chunk = (content: string, finish: string | null = null, usage: Json = null) => ({
  choices: [{ index: 0, delta: content === "" ? {} : { content }, finish_reason: finish }],
  usage
})

const used = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }

const ofRun = (withUsage: boolean, given: ReadonlyArray<Json>, output: Json) => {
  const chunks = Chunks.make({ kind: "chat", names, withUsage })
  return [...given.flatMap(chunks.take), ...chunks.end(output)].map(({ choices, usage }) => ({
    choices,
    usage
  }))
}

describe("The chunks of a stream", () => {
  it("have the usage once, in the last chunk, wherever the provider told it, and only for clients that ask", () => {
    const alone = [chunk("Hi"), chunk("", "stop"), { choices: [], usage: used }]
    const within = [chunk("Hi", null, used), chunk("", "stop", used)]
    for (const given of [alone, within]) {
      const sent = ofRun(true, given, {})
      assert.deepStrictEqual(
        sent.map(({ usage }) => usage),
        [null, null, used]
      )
      assert.deepStrictEqual(sent.at(-1)?.choices, [])
      const without = ofRun(false, given, {})
      assert.deepStrictEqual(
        without.map(({ usage }) => usage),
        [undefined, undefined]
      )
    }
    assert.deepStrictEqual(ofRun(true, alone.slice(0, 2), { usage: used }).at(-1)?.usage, used)
  })

  it("count as seen only when something was made", () => {
    const chunks = Chunks.make({ kind: "chat", names, withUsage: false })
    chunks.take({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] })
    assert.isFalse(chunks.hasContent())
    chunks.take({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0 }] }, finish_reason: null }] })
    assert.isTrue(chunks.hasContent())
  })

  it("tell that a choice has finished only at the end of the request", () => {
    const chunks = Chunks.make({ kind: "chat", names, withUsage: false })
    const choicesOf = (given: Json) => chunks.take(given).map(({ choices }) => choices)
    assert.lengthOf(choicesOf(chunk("Hi")), 1)
    assert.isEmpty(choicesOf(chunk("!", "stop")))
    assert.isEmpty(choicesOf({ choices: [], usage: used }))
    assert.deepStrictEqual(
      chunks.end({}).map(({ choices }) => choices),
      [chunk("!", "stop").choices]
    )
  })

  it("begin each choice of a chat with a role, also if the provider tells none", () => {
    const chunks = Chunks.make({ kind: "chat", names, withUsage: false })
    const deltasOf = (index: number, delta: Json) =>
      chunks
        .take({ choices: [{ index, delta, finish_reason: null }] })
        .flatMap(({ choices }) => choices)
        .map((choice) => Reflect.get(Object(choice), "delta"))
    assert.deepStrictEqual(deltasOf(0, { content: "a" }), [{ content: "a", role: "assistant" }])
    assert.deepStrictEqual(deltasOf(0, { content: "b" }), [{ content: "b" }])
    assert.deepStrictEqual(deltasOf(1, { role: "tool", content: "c" }), [{ role: "tool", content: "c" }])
  })

  it("begin again with a run that begins again before something was made", () => {
    const chunks = Chunks.make({ kind: "chat", names, withUsage: false })
    chunks.take(chunk("", "length"))
    assert.isFalse(chunks.hasContent())
    chunks.restart()
    chunks.take(chunk("Hi"))
    chunks.take(chunk("", "stop"))
    assert.deepStrictEqual(
      chunks.end({}).map(({ choices }) => choices),
      [chunk("", "stop").choices]
    )
  })

  it("have the members of chunks without choices, which few clients take", () => {
    const chunks = Chunks.make({ kind: "chat", names, withUsage: false })
    assert.isEmpty(chunks.take({ choices: [], prompt_filter_results: [{ a: 1 }] }))
    assert.deepInclude(chunks.take(chunk("Hi"))[0], { prompt_filter_results: [{ a: 1 }] })
    chunks.take(chunk("", "stop"))
    assert.isEmpty(chunks.take({ choices: [], usage: used, timings: { ms: 1 } }))
    const [last] = chunks.end({})
    assert.deepInclude(last, { timings: { ms: 1 } })
    assert.notProperty(last, "prompt_filter_results")
  })
})
