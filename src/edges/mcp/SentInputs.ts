/**
 * The inputs in a message as they were sent. The protocol's library gives a tool a decoded copy, which has lost the digits of long
 * integers and the order of members with names of digits.
 */
import { isDeepStrictEqual } from "node:util"
import { Context } from "effect"
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as JsonRpc from "./JsonRpc.ts"

/** `input` among the arguments of each tool call of the current message. */
export const SentInputs = Context.Reference<ReadonlyArray<JsonObject>>("inferlog/src/edges/mcp/SentInputs", {
  defaultValue: () => []
})

/** @param message a value that remembers its text. */
export const inputsIn = (message: Json): ReadonlyArray<JsonObject> =>
  (isList(message) ? JsonText.items(message) : [message]).flatMap((one) => {
    if (JsonRpc.toolCallOf(one) === null) return []
    const input = JsonText.memberAt(one, "params", "arguments", "input")
    return isObject(input) ? [input] : []
  })

/**
 * The sent input of a decoded one; `null` if calls of one batch have inputs that differ only in what the decoded one has lost, so that
 * it is not known which of them this is.
 */
export const sentOf = (inputs: ReadonlyArray<JsonObject>, decoded: JsonObject): JsonObject | null => {
  const [first = decoded, ...others] = inputs.filter((input) => isDeepStrictEqual(input, decoded))
  const content = others.length === 0 ? "" : JsonText.content(first)
  return others.every((other) => JsonText.content(other) === content) ? first : null
}
