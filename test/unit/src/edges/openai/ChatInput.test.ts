import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as ChatInput from "#src/edges/openai/responses/ChatInput.ts"
import type * as ItemReferences from "#src/edges/openai/responses/ItemReferences.ts"

const none: ItemReferences.References = new Map()

const translated = (body: JsonObject, references = none) =>
  Result.getOrThrow(ChatInput.of({ input: "Hi", ...body }, { items: references, files: new Map() }))

const messages = (input: Json, more: JsonObject = {}, references = none) =>
  translated({ input, ...more }, references).input["messages"]

const lookUp = { type: "function", name: "look_up", parameters: { type: "object" } }

describe("The input of a chat for a response", () => {
  it("leaves out hosted tools and names them, and keeps functions", () => {
    const { input, leftOut } = translated({
      tools: [lookUp, { type: "web_search" }, { type: "computer_use_preview" }, { type: "web_search" }],
      tool_choice: { type: "web_search" }
    })
    assert.deepStrictEqual(leftOut, ["web_search", "computer_use_preview"])
    const { type: _type, ...described } = lookUp
    assert.deepStrictEqual(input["tools"], [{ type: "function", function: described }])
    assert.notProperty(input, "tool_choice")
    assert.notProperty(translated({ tools: [{ type: "mcp" }], tool_choice: "required" }).input, "tool_choice")
  })

  it("makes a custom tool a function of one text, in history too", () => {
    const { input } = translated({
      tools: [{ type: "custom", name: "patch", description: "Applies a patch." }],
      tool_choice: { type: "custom", name: "patch" },
      input: [
        { type: "custom_tool_call", call_id: "c1", name: "patch", input: 'say "hi"' },
        { type: "custom_tool_call_output", call_id: "c1", output: "done" }
      ]
    })
    assert.deepInclude(input, {
      tool_choice: { type: "function", function: { name: "patch" } },
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c1", type: "function", function: { name: "patch", arguments: '{"input":"say \\"hi\\""}' } }
          ]
        },
        { role: "tool", tool_call_id: "c1", content: "done" }
      ]
    })
    assert.include(JSON.stringify(input["tools"]), '"required":["input"]')
  })

  it("offers only the allowed tools", () => {
    const { input } = translated({
      tools: [lookUp, { ...lookUp, name: "other" }],
      tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "other" }] }
    })
    assert.strictEqual(input["tool_choice"], "required")
    assert.notInclude(JSON.stringify(input["tools"]), "look_up")
    assert.include(JSON.stringify(input["tools"]), "other")
  })

  it("has one system message, the first, of all instructions", () => {
    const found = messages(
      [
        { role: "developer", content: "Two" },
        { role: "user", content: "Hi" },
        { role: "system", content: [{ type: "input_text", text: "Three" }] }
      ],
      { instructions: "One" }
    )
    assert.deepStrictEqual(found, [
      { role: "system", content: "One\n\nTwo\n\nThree" },
      { role: "user", content: "Hi" }
    ])
  })

  it("joins a message and its calls, over items that a chat does not have", () => {
    const call = { type: "function_call", call_id: "c1", name: "look_up", arguments: "{}" }
    const called = { id: "c1", type: "function", function: { name: "look_up", arguments: "{}" } }
    const said = {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "Let me see" }]
    }
    const output = { type: "function_call_output", call_id: "c1", output: "1" }
    const expected = [
      { role: "assistant", content: "Let me see", tool_calls: [called] },
      { role: "tool", tool_call_id: "c1", content: "1" }
    ]
    const between = [{ type: "reasoning", summary: [] }, { type: "web_search_call" }]
    assert.deepStrictEqual(messages([said, ...between, call, output]), expected)
    assert.deepStrictEqual(messages([call, said, output]), expected)
  })

  it("resolves references to items of earlier responses", () => {
    const references: ItemReferences.References = new Map<string, ItemReferences.Found>([
      ["rs_1", { _tag: "Reasoning" }],
      ["msg_1", { _tag: "Message", text: "Hello" }],
      ["fc_1", { _tag: "Call", call: { place: 0, id: "c1", name: "look_up", arguments: "{}" } }]
    ])
    const input = ["rs_1", "msg_1", "fc_1"].map((id) => ({ type: "item_reference", id }))
    assert.deepStrictEqual(messages(input, {}, references), [
      {
        role: "assistant",
        content: "Hello",
        tool_calls: [{ id: "c1", type: "function", function: { name: "look_up", arguments: "{}" } }]
      }
    ])
  })

  it("translates files, verbosity and the key of a cache", () => {
    const file = { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" }
    const { input } = translated({
      input: [{ role: "user", content: [file] }],
      text: { verbosity: "low" },
      prompt_cache_key: "k"
    })
    const { type: _type, ...given } = file
    assert.deepInclude(input, { verbosity: "low", prompt_cache_key: "k" })
    assert.deepStrictEqual(input["messages"], [{ role: "user", content: [{ type: "file", file: given }] }])
  })
})
