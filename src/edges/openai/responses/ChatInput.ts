/**
 * The input of a chat for a call of OpenAI's Responses API (https://platform.openai.com/docs/api-reference/responses/create).
 * The API keeps nothing here: what needs a stored response, or a tool that only OpenAI has, is refused by name.
 */
import { Result } from "effect"
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"

type Translated<A> = Result.Result<A, ErrorAnswer>

const isSet = (value: Json | undefined): boolean => value !== undefined && value !== null && value !== false

const refused = (param: string, message: string): Translated<never> =>
  Result.fail(OpenaiErrors.invalid(message, param, "unsupported_parameter"))

/** What needs a stored state. */
const stateful = ["previous_response_id", "conversation", "background", "prompt"] as const

/** Members that a chat has under the same name. */
const same = [
  "temperature",
  "top_p",
  "top_logprobs",
  "parallel_tool_calls",
  "metadata",
  "user",
  "seed",
  "stop",
  "service_tier",
  "presence_penalty",
  "frequency_penalty"
] as const

/** @returns why the call cannot be answered without a state; `null` if it can. */
export const refusalOf = (body: JsonObject): ErrorAnswer | null => {
  const found = stateful.find((name) => isSet(body[name]))
  if (found !== undefined)
    return OpenaiErrors.invalid(
      `${found} needs stored responses, which this server does not have: send the whole input.`,
      found,
      "unsupported_parameter"
    )
  return body["store"] === true
    ? OpenaiErrors.invalid(
        "store: true is not supported: responses are not stored.",
        "store",
        "unsupported_parameter"
      )
    : null
}

const partOf = (part: Json): Json => {
  if (!isObject(part)) return part
  switch (part["type"]) {
    case "input_text":
    case "output_text":
      return { type: "text", text: part["text"] ?? "" }
    case "refusal":
      return { type: "refusal", refusal: part["refusal"] ?? "" }
    case "input_image": {
      const { detail, image_url: url } = part
      return { type: "image_url", image_url: { url: url ?? "", ...(detail !== undefined && { detail }) } }
    }
    default:
      return part
  }
}

const isText = (part: Json): part is JsonObject => isObject(part) && part["type"] === "text"

/** Only texts become one text, which every server understands. */
const contentOf = (content: Json | undefined): Json => {
  if (!isList(content)) return content ?? ""
  const parts = content.map(partOf)
  return parts.every(isText) ? parts.map(({ text }) => String(text)).join("") : parts
}

const callOf = ({ arguments: given, call_id: id, name }: JsonObject): JsonObject => ({
  id: id ?? "",
  type: "function",
  function: { name: name ?? "", arguments: given ?? "" }
})

const messagesOf = (items: ReadonlyArray<Json>): Translated<ReadonlyArray<JsonObject>> => {
  const messages: Array<JsonObject> = []
  /** Calls of one turn are one message. */
  let calls: Array<JsonObject> = []
  const flush = () => {
    if (calls.length > 0) messages.push({ role: "assistant", content: null, tool_calls: calls })
    calls = []
  }
  for (const [index, item] of items.entries()) {
    if (!isObject(item)) return refused(`input[${index}]`, `input[${index}] must be an object.`)
    const type = item["type"] ?? "message"
    if (type === "function_call") {
      calls.push(callOf(item))
      continue
    }
    flush()
    if (type === "message")
      messages.push({ role: item["role"] ?? "user", content: contentOf(item["content"]) })
    else if (type === "function_call_output")
      messages.push({ role: "tool", tool_call_id: item["call_id"] ?? "", content: contentOf(item["output"]) })
    else if (type !== "reasoning")
      return refused(`input[${index}].type`, `input[${index}].type is not supported by this model.`)
  }
  flush()
  return Result.succeed(messages)
}

const inputOf = (input: Json | undefined): Translated<ReadonlyArray<JsonObject>> => {
  if (typeof input === "string") return Result.succeed([{ role: "user", content: input }])
  return isList(input)
    ? messagesOf(input)
    : Result.fail(OpenaiErrors.invalid("input must be a string or a list.", "input"))
}

const toolsOf = (tools: Json | undefined): Translated<ReadonlyArray<JsonObject>> => {
  if (!isList(tools)) return Result.succeed([])
  const functions: Array<JsonObject> = []
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool) || tool["type"] !== "function")
      return refused(`tools[${index}].type`, "Only tools of type function are supported.")
    const { type: _type, ...described } = tool
    functions.push({ type: "function", function: described })
  }
  return Result.succeed(functions)
}

const choiceOf = (choice: Json | undefined): Json | undefined =>
  isObject(choice) && choice["type"] === "function"
    ? { type: "function", function: { name: choice["name"] ?? "" } }
    : choice

const formatOf = (text: Json | undefined): Json | undefined => {
  const format = isObject(text) ? text["format"] : undefined
  if (!isObject(format)) return undefined
  const { type, ...described } = format
  if (type === "text") return undefined
  return type === "json_schema" ? { type, json_schema: described } : format
}

const effortOf = (reasoning: Json | undefined): Json | undefined =>
  isObject(reasoning) ? (reasoning["effort"] ?? undefined) : undefined

const present = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, value] as const]
    )
  )

/** The input of the chat. */
export const of = (body: JsonObject): Translated<JsonObject> =>
  Result.flatMap(inputOf(body["input"]), (messages) =>
    Result.map(toolsOf(body["tools"]), (tools): JsonObject => {
      const { instructions } = body
      return {
        messages: [
          ...(typeof instructions === "string" && instructions !== ""
            ? [{ role: "system", content: instructions }]
            : []),
          ...messages
        ],
        ...present(Object.fromEntries(same.map((name) => [name, body[name]]))),
        ...present({
          max_completion_tokens: body["max_output_tokens"],
          tool_choice: tools.length > 0 ? choiceOf(body["tool_choice"]) : undefined,
          response_format: formatOf(body["text"]),
          reasoning_effort: effortOf(body["reasoning"])
        }),
        ...(tools.length > 0 && { tools })
      }
    })
  )
