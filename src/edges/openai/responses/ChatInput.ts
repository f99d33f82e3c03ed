/**
 * The input of a chat for a call of OpenAI's Responses API (https://platform.openai.com/docs/api-reference/responses/create).
 * The API keeps nothing here: what needs a stored response is refused by name, and tools that only OpenAI runs are left out.
 */
import { Result } from "effect"
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"
import * as CustomTools from "./CustomTools.ts"
import type * as FileReferences from "./FileReferences.ts"
import * as HostedTools from "./HostedTools.ts"
import type * as ItemReferences from "./ItemReferences.ts"
import * as ResponseItems from "./ResponseItems.ts"

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
  "frequency_penalty",
  "prompt_cache_key",
  "prompt_cache_retention",
  "safety_identifier"
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

/** What a call only names, and what is there. */
export interface Named {
  readonly items: ItemReferences.References
  readonly files: FileReferences.Files
}

const partOf = (part: Json, files: FileReferences.Files): Json => {
  if (!isObject(part)) return part
  const fileOf = (id: Json | undefined) => (typeof id === "string" ? files.get(id) : undefined)
  switch (part["type"]) {
    case "input_text":
    case "output_text":
      return { type: "text", text: part["text"] ?? "" }
    case "refusal":
      return { type: "refusal", refusal: part["refusal"] ?? "" }
    case "input_image": {
      const { detail, file_id: id, image_url: url } = part
      return { type: "image_url", image_url: { url: url ?? fileOf(id) ?? "", ...present({ detail }) } }
    }
    case "input_file": {
      const { file_data: data, file_id: id, file_url: url, filename } = part
      return { type: "file", file: present({ filename, file_data: data ?? url ?? fileOf(id) }) }
    }
    default:
      return part
  }
}

const isText = (part: Json): part is JsonObject => isObject(part) && part["type"] === "text"

/** Only texts become one text, which every server understands. */
const contentOf = (content: Json | undefined, files: FileReferences.Files): Json => {
  if (!isList(content)) return content ?? ""
  const parts = content.map((part) => partOf(part, files))
  return parts.every(isText) ? parts.map(({ text }) => String(text)).join("") : parts
}

/** Texts of instructions follow each other as paragraphs. */
const joined = (contents: ReadonlyArray<Json>): Json =>
  contents.every((content) => typeof content === "string")
    ? contents.join("\n\n")
    : contents.flatMap((content) =>
        typeof content === "string" ? [{ type: "text", text: content }] : isList(content) ? content : []
      )

interface Told {
  readonly messages: ReadonlyArray<JsonObject>
  /** Types of items of which a chat has no form. */
  readonly leftOut: ReadonlyArray<string>
}

/** The messages of a chat, as items of a response make them. */
const makeConversation = (instructions: Json | undefined) => {
  /** Many chat templates take one system message, and only as the first. */
  const system: Array<Json> = typeof instructions === "string" && instructions !== "" ? [instructions] : []
  const messages: Array<JsonObject> = []
  const leftOut = new Set<string>()
  /** What an assistant says and calls in one turn is one message. */
  let turn: { content: Json; readonly calls: Array<JsonObject> } | null = null

  const flush = () => {
    if (turn === null) return
    const { calls, content } = turn
    messages.push({ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) })
    turn = null
  }

  const say = (content: Json) => {
    if (turn !== null && turn.content !== null) flush()
    if (turn === null) turn = { content, calls: [] }
    else turn.content = content
  }

  return {
    say,
    call: (id: Json | undefined, name: Json | undefined, given: string) => {
      turn ??= { content: null, calls: [] }
      turn.calls.push({ id: id ?? "", type: "function", function: { name: name ?? "", arguments: given } })
    },
    answer: (id: Json | undefined, content: Json) => {
      flush()
      messages.push({ role: "tool", tool_call_id: id ?? "", content })
    },
    message: (role: Json, content: Json) => {
      if (role === "assistant") return say(content)
      flush()
      if (role === "system" || role === "developer") system.push(content)
      else messages.push({ role, content })
    },
    leaveOut: (type: string) => void leftOut.add(type),
    told: (): Told => {
      flush()
      const all = system.length === 0 ? messages : [{ role: "system", content: joined(system) }, ...messages]
      return { messages: all, leftOut: [...leftOut] }
    }
  }
}

type Conversation = ReturnType<typeof makeConversation>

/** What an item that another response made was, in the words of its chat. */
const refer = (conversation: Conversation, found: ItemReferences.Found): void => {
  switch (found._tag) {
    case "Message":
      return conversation.say(found.text)
    case "Call":
      return conversation.call(found.call.id, found.call.name, found.call.arguments)
    case "Reasoning":
      return undefined
  }
}

/** @returns whether an item of this type is known. */
const takeItem = (
  conversation: Conversation,
  type: Json,
  item: JsonObject,
  files: FileReferences.Files
): boolean => {
  switch (type) {
    case "message":
      conversation.message(item["role"] ?? "user", contentOf(item["content"], files))
      return true
    case "function_call":
      conversation.call(item["call_id"], item["name"], ResponseItems.argumentsIn(item["arguments"]))
      return true
    case "custom_tool_call":
      conversation.call(item["call_id"], item["name"], CustomTools.argumentsOf(String(item["input"] ?? "")))
      return true
    case "function_call_output":
    case "custom_tool_call_output":
      conversation.answer(item["call_id"], contentOf(item["output"], files))
      return true
    default:
      // Models do not need their earlier thoughts.
      if (type === "reasoning") return true
      if (typeof type !== "string" || !HostedTools.isItem(type)) return false
      conversation.leaveOut(type)
      return true
  }
}

const messagesOf = (
  items: ReadonlyArray<Json>,
  conversation: Conversation,
  named: Named
): Translated<Told> => {
  for (const [index, item] of items.entries()) {
    if (!isObject(item)) return refused(`input[${index}]`, `input[${index}] must be an object.`)
    const unnamed =
      item["role"] === undefined && typeof item["id"] === "string" ? "item_reference" : "message"
    const type = item["type"] ?? unnamed
    const found = type === "item_reference" ? named.items.get(String(item["id"])) : undefined
    if (found !== undefined) refer(conversation, found)
    else if (!takeItem(conversation, type, item, named.files))
      return refused(`input[${index}].type`, `input[${index}].type is not supported by this model.`)
  }
  return Result.succeed(conversation.told())
}

const inputOf = ({ input, instructions }: JsonObject, named: Named): Translated<Told> => {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input
  return isList(items)
    ? messagesOf(items, makeConversation(instructions), named)
    : Result.fail(OpenaiErrors.invalid("input must be a string or a list.", "input"))
}

interface Tools {
  readonly functions: ReadonlyArray<JsonObject>
  /** Types of tools that only OpenAI runs. */
  readonly leftOut: ReadonlyArray<string>
}

const toolsOf = (tools: Json | undefined): Translated<Tools> => {
  const functions: Array<JsonObject> = []
  const leftOut = new Set<string>()
  for (const [index, tool] of (isList(tools) ? tools : []).entries()) {
    const type = isObject(tool) ? tool["type"] : undefined
    if (!isObject(tool) || typeof type !== "string" || !HostedTools.isType(type))
      return refused(`tools[${index}].type`, `tools[${index}] must be an object with a type.`)
    const { type: _type, ...described } = tool
    if (type === "function") functions.push({ type: "function", function: present(described) })
    else if (type === "custom") functions.push({ type: "function", function: CustomTools.functionOf(tool) })
    else leftOut.add(type)
  }
  return Result.succeed({ functions, leftOut: [...leftOut] })
}

const nameOf = ({ function: described }: JsonObject): Json | undefined =>
  isObject(described) ? described["name"] : undefined

const isOfChat = (type: Json | undefined): boolean => type === "function" || type === "custom"

/** The choice, and the tools that it leaves: few servers know `allowed_tools`, all know fewer tools. */
const chosen = (choice: Json | undefined, functions: ReadonlyArray<JsonObject>): JsonObject => {
  if (!isObject(choice))
    return functions.length === 0 ? {} : { tools: functions, ...present({ tool_choice: choice }) }
  const { mode, name, tools, type } = choice
  if (type === "allowed_tools") {
    const named = (isList(tools) ? tools : []).filter(isObject).filter((tool) => isOfChat(tool["type"]))
    const allowed = new Set(named.map((tool) => tool["name"]))
    return chosen(
      mode ?? "auto",
      functions.filter((one) => allowed.has(nameOf(one)))
    )
  }
  if (functions.length === 0) return {}
  return isOfChat(type)
    ? { tools: functions, tool_choice: { type: "function", function: { name: name ?? "" } } }
    : { tools: functions }
}

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

export interface ChatInput {
  readonly input: JsonObject
  /** Types of tools that only OpenAI runs, and of what they did before, which the model does not see. */
  readonly leftOut: ReadonlyArray<string>
}

const verbosityOf = (text: Json | undefined): Json | undefined =>
  isObject(text) ? text["verbosity"] : undefined

/** A chat tells the probabilities of tokens only if it is asked to, also with `top_logprobs`. */
const asksLogprobs = ({ include, top_logprobs: top }: JsonObject): boolean =>
  (typeof top === "number" && top > 0) ||
  (isList(include) && include.includes("message.output_text.logprobs"))

/** With the digits of integers past 2^53 that the body has. */
const restored = (body: JsonObject, input: JsonObject): JsonObject => {
  const made = JsonText.restore(input, JsonText.longIntegers(body))
  return isObject(made) ? made : input
}

/** The input of the chat. */
export const of = (body: JsonObject, named: Named): Translated<ChatInput> =>
  Result.flatMap(inputOf(body, named), ({ leftOut: items, messages }) =>
    Result.map(toolsOf(body["tools"]), ({ functions, leftOut }): ChatInput => ({
      leftOut: [...leftOut, ...items],
      input: restored(body, {
        messages,
        ...present(Object.fromEntries(same.map((name) => [name, body[name]]))),
        ...present({
          logprobs: asksLogprobs(body) ? true : undefined,
          max_completion_tokens: body["max_output_tokens"],
          response_format: formatOf(body["text"]),
          verbosity: verbosityOf(body["text"]),
          reasoning_effort: effortOf(body["reasoning"])
        }),
        ...chosen(body["tool_choice"], functions)
      })
    }))
  )
