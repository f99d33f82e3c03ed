import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as ResponseEvents from "#src/edges/openai/responses/ResponseEvents.ts"
import * as ResponseObject from "#src/edges/openai/responses/ResponseObject.ts"

const about: ResponseObject.About = { id: "resp_1", model: "acme/llama", created: 1, body: {} }

type Event = Readonly<Record<string, unknown>> & { readonly type: string }

const eventsIn = (text: string): ReadonlyArray<Event> =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)) as Event)

const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  choices: [{ index: 0, delta, finish_reason: finish }]
})

const ofChunks = (...chunks: ReadonlyArray<JsonObject>): ReadonlyArray<Event> => {
  const events = ResponseEvents.make(about)
  return eventsIn(events.begin() + chunks.map(events.take).join("") + events.end(null))
}

/** The items of the response that the last event has. */
const outputOf = (events: ReadonlyArray<Event>): ReadonlyArray<JsonObject> => {
  const response = events.at(-1)?.["response"] as { readonly output: ReadonlyArray<JsonObject> } | undefined
  return response?.output ?? []
}

const reasons = { length: "max_output_tokens", content_filter: "content_filter" } as const

describe("The events of a response", () => {
  it("say why an answer is incomplete, as the answer without a stream does", () => {
    for (const [finish, reason] of Object.entries(reasons)) {
      const last = ofChunks(chunk({ content: "Half" }), chunk({}, finish)).at(-1)
      const expected = { status: "incomplete", incomplete_details: { reason } }
      assert.strictEqual(last?.type, "response.incomplete")
      assert.deepInclude(last?.["response"], expected)
      const message = { role: "assistant", content: "Half" }
      const choices = [{ index: 0, message, finish_reason: finish }]
      assert.deepInclude(ResponseObject.ofCompletion(about, { choices }), expected)
    }
    const complete = { status: "completed", incomplete_details: null }
    assert.deepInclude(ofChunks(chunk({ content: "Hi" }, "stop")).at(-1)?.["response"], complete)
  })

  it("join the pieces of calls that arrive in turns, and leave out other choices", () => {
    const piece = (index: number, id: string | null, more: JsonObject) =>
      chunk({ tool_calls: [{ index, ...(id !== null && { id }), function: more }] })
    const events = ofChunks(
      { choices: [{ index: 1, delta: { content: "Another choice" }, finish_reason: null }] },
      piece(0, "a", { name: "one", arguments: "" }),
      piece(1, "b", { name: "two", arguments: "{" }),
      piece(0, null, { arguments: "{}" }),
      piece(1, null, { arguments: "}" }),
      chunk({}, "tool_calls")
    )
    const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item)
    assert.lengthOf(done, 2)
    assert.deepInclude(done[0], { call_id: "a", name: "one", arguments: "{}" })
    assert.deepInclude(done[1], { call_id: "b", name: "two", arguments: "{}" })
    assert.deepStrictEqual(
      events.map(({ sequence_number: number }) => number),
      events.map((_event, index) => index)
    )
  })

  it("tell thoughts as an item of their own, which ends where the text begins", () => {
    for (const name of ["reasoning_content", "reasoning"]) {
      const events = ofChunks(
        chunk({ [name]: "Think " }),
        chunk({ [name]: "hard" }),
        chunk({ content: "Hi" })
      )
      const types = events.map(({ type }) => type)
      assert.isBelow(types.indexOf("response.output_item.done"), types.indexOf("response.output_text.delta"))
      const thoughts = events.filter(({ type }) => type === "response.reasoning_summary_text.delta")
      assert.deepStrictEqual(
        thoughts.map(({ delta }) => delta),
        ["Think ", "hard"]
      )
      const message = { role: "assistant", content: "Hi", [name]: "Think hard" }
      const whole = ResponseObject.ofCompletion(about, { choices: [{ message, finish_reason: "stop" }] })
      assert.deepStrictEqual(outputOf(events), whole["output"])
    }
  })

  it("have the calls of servers that leave out indexes, ids or names, or give objects", () => {
    const pieces: ReadonlyArray<ReadonlyArray<JsonObject>> = [
      [
        { id: "a", function: { name: "one", arguments: "{}" } },
        { id: "b", function: { name: "two", arguments: {} } }
      ],
      [
        { index: 0, id: "a", function: { name: "one", arguments: "{}" } },
        { index: 0, id: "b", function: { name: "two", arguments: "{}" } }
      ],
      [
        { index: 0, function: { arguments: "{" } },
        { index: 0, id: "a", function: { name: "one", arguments: "}" } },
        { id: "b", function: { name: "two", arguments: "{}" } }
      ]
    ]
    for (const given of pieces) {
      const events = ofChunks(...given.map((piece) => chunk({ tool_calls: [piece] })))
      const calls = outputOf(events)
      assert.deepStrictEqual(
        calls.map(({ arguments: made, call_id: id, name }) => [id, name, made]),
        [
          ["a", "one", "{}"],
          ["b", "two", "{}"]
        ]
      )
    }
    const unnamed = ofChunks(chunk({ tool_calls: [{ function: { name: "one", arguments: "{}" } }] }))
    const [call] = outputOf(unnamed)
    assert.strictEqual(call?.["call_id"], "call_1_0")
  })

  it("tell refusals and citations in their own forms", () => {
    const citation = { url: "https://example.com", title: "Example", start_index: 0, end_index: 2 }
    const annotations = [{ type: "url_citation", url_citation: citation }]
    const text = JSON.stringify(
      ofChunks(chunk({ content: "Hi", annotations }), chunk({ refusal: "No" })).at(-1)
    )
    assert.include(text, '{"type":"refusal","refusal":"No"}')
    assert.include(text, '"end_index":2,"type":"url_citation"}]')
  })
})
