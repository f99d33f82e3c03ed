import { assert, describe, it } from "@effect/vitest"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Limits from "#src/edges/mcp/body/MessageLimits.ts"
import * as MessageErrorAnswers from "#src/edges/mcp/body/MessageErrorAnswers.ts"
import * as MessageShape from "#src/edges/mcp/body/MessageShape.ts"

const { tooLong, tooManyParts } = MessageErrorAnswers
const { characters, parts } = Limits.ofItsOwn

const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]))
const call = (name: string, given: Json, more: Json = {}) => ({
  method: "tools/call",
  params: { name, arguments: given, _meta: more }
})
const message = (method: string, params: Json) => ({ method, params })

describe("MessageShape", () => {
  it.each<[string, Json]>([
    ["a call", call("get_request", { requestId: "x" })],
    ["what is not a message", [1, null, "x", []]],
    ["the maximum of names", message("ping", names(parts - 2))],
    ["the maximum of characters", message("ping", "x".repeat(characters - "methodpingparams".length))],
    ["an input that is long and has many parts", call("run_model", { input: names(Limits.mostParts - 99) })],
    ["an input of long text", call("run_model", { input: { text: "x".repeat(9 * characters) } })],
    ["data that is long", call("upload_file", { data: "x".repeat(9 * characters) })],
    ["a batch of such messages", Array.from({ length: 9 }, () => message("ping", names(parts - 2)))]
  ])("accepts %s", (_what, json) => {
    assert.isNull(MessageShape.refused(json))
  })

  it.each<[string, Json, unknown]>([
    ["names", message("ping", names(parts - 1)), tooManyParts],
    ["names of its own", { method: "ping", ...names(parts) }, tooManyParts],
    ["parts deep inside", message("ping", { _meta: { a: [names(parts)] } }), tooManyParts],
    ["names of arguments", call("run_model", { ...names(parts), input: {} }), tooManyParts],
    ["parts beside an input", call("run_model", { input: {} }, names(parts)), tooManyParts],
    ["parts of an input", call("run_model", { input: names(Limits.mostParts) }), tooManyParts],
    [
      "parts of an input in the wrong place",
      message("ping", { arguments: { input: names(parts) } }),
      tooManyParts
    ],
    ["parts of data", call("upload_file", { data: names(Limits.mostParts) }), tooManyParts],
    ["parts of one of a batch", [message("ping", {}), message("ping", names(parts))], tooManyParts],
    ["inputs of a batch", [1, 2].map(() => call("run_model", { input: names(12_000) })), tooManyParts],
    ["text", message("ping", "x".repeat(characters)), tooLong],
    ["text of an id", { id: "x".repeat(characters), method: "ping" }, tooLong],
    ["text of names", message("ping", { ["x".repeat(characters)]: 1 }), tooLong],
    ["text of an argument", call("run_model", { modelEndpoint: "x".repeat(characters), input: {} }), tooLong]
  ])("rejects too many or too long %s", (_what, json, errorAnswer) => {
    assert.strictEqual(MessageShape.refused(json), errorAnswer)
  })
})
