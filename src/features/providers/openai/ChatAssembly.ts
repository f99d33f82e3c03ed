/**
 * Assembles a `chat.completion` from its chunks (https://platform.openai.com/docs/api-reference/chat-streaming), or a
 * `text_completion`, whose chunks have `text` instead of `delta`.
 */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as GrowingText from "#src/kernel/text/GrowingText.ts"

/** The fields that all chunks share. */
const heads = ["id", "created", "model", "system_fingerprint", "service_tier"] as const

/** Text fields of a message. The last two are names for the thoughts of reasoning models. */
const texts = ["content", "refusal", "reasoning_content", "reasoning"] as const

/** The most choices, and tool calls in a choice. */
const mostOfOne = 128

interface Called {
  id: Json
  type: Json
  name: Json
  readonly arguments: GrowingText.GrowingText
}

interface Choice {
  role: Json
  readonly texts: Map<string, GrowingText.GrowingText>
  readonly tools: Array<Called | undefined>
  function: Called | null
  readonly logprobs: Map<string, Array<Json>>
  finishReason: Json
}

/** The `object` of what is assembled. */
export type Assembled = "chat.completion" | "text_completion"

export interface ChatAssembly {
  /** `false` if it is not a chunk. */
  take(chunk: Json): boolean
  /** Parts with text or a tool call so far, about one per token. */
  readonly parts: () => number
  /** Whether there is a choice and each has a finish reason. */
  readonly isFinished: () => boolean
  /** `null` without a choice. `usage` is `null` if no chunk had it. */
  readonly completion: () => JsonObject | null
  /**
   * The completion of a stream that was cut; `null` without a part. Without a usage, the parts count as tokens: a part has
   * at least one, so the client is charged for at most what was delivered.
   */
  readonly cut: () => JsonObject | null
}

const isIndex = (index: Json | undefined): index is number =>
  typeof index === "number" && Number.isInteger(index) && index >= 0 && index < mostOfOne

export const make = (object: Assembled = "chat.completion"): ChatAssembly => {
  const head = new Map<string, Json>()
  const choices: Array<Choice | undefined> = []
  let usage: Json = null
  let parts = 0

  const takeCall = (called: Called, { function: given, id, type }: JsonObject) => {
    const { arguments: more, name } = isObject(given) ? given : {}
    called.id ??= id ?? null
    called.type ??= type ?? null
    called.name ??= name ?? null
    if (typeof more === "string") called.arguments.add(more)
  }

  const addText = ({ texts }: Choice, name: string, text: string) => {
    const known = texts.get(name) ?? GrowingText.make()
    texts.set(name, known)
    known.add(text)
  }

  const takeDelta = (choice: Choice, delta: JsonObject) => {
    choice.role ??= delta["role"] ?? null
    for (const name of texts) {
      const text = delta[name]
      if (typeof text === "string") addText(choice, name, text)
    }
    const { function_call: called, tool_calls: tools } = delta
    if (isObject(called)) takeCall((choice.function ??= call()), { function: called })
    if (!isList(tools)) return true
    return tools.every((tool, place) => {
      const index = isObject(tool) ? (tool["index"] ?? place) : undefined
      if (!isObject(tool) || !isIndex(index)) return false
      takeCall((choice.tools[index] ??= call()), tool)
      return true
    })
  }

  const takeText = (choice: Choice, text: Json | undefined) => {
    if (typeof text !== "string") return text === undefined || text === null
    addText(choice, "text", text)
    if (text !== "") parts += 1
    return true
  }

  const takeLogprobs = (choice: Choice, logprobs: JsonObject) => {
    for (const [name, list] of Object.entries(logprobs)) {
      const known = choice.logprobs.get(name) ?? []
      if (isList(list)) list.forEach((item) => known.push(item))
      if (isList(list)) choice.logprobs.set(name, known)
    }
  }

  const takeChoice = (given: Json) => {
    const index = isObject(given) ? (given["index"] ?? 0) : undefined
    if (!isObject(given) || !isIndex(index)) return false
    const choice = (choices[index] ??= empty())
    const { delta, finish_reason: finish, logprobs } = given
    choice.finishReason = finish ?? choice.finishReason
    if (isObject(logprobs)) takeLogprobs(choice, logprobs)
    if (object === "text_completion") return takeText(choice, given["text"])
    if (!isObject(delta)) return true
    if (hasToken(delta)) parts += 1
    return takeDelta(choice, delta)
  }

  const choiceOf = object === "chat.completion" ? chatChoiceOf : textChoiceOf

  const completion = (used: Json) =>
    choices.length === 0
      ? null
      : {
          ...Object.fromEntries(head),
          object,
          choices: choices.flatMap((choice, index) =>
            choice === undefined ? [] : [choiceOf(choice, index)]
          ),
          usage: used
        }

  return {
    take: (chunk) => {
      if (!isObject(chunk)) return false
      for (const name of heads) {
        const value = chunk[name]
        if (value !== undefined && value !== null && value !== "" && !head.has(name)) head.set(name, value)
      }
      usage = chunk["usage"] ?? usage
      const given = chunk["choices"] ?? []
      return isList(given) && given.every(takeChoice)
    },
    parts: () => parts,
    isFinished: () =>
      choices.length > 0 && choices.every((choice) => (choice?.finishReason ?? null) !== null),
    completion: () => completion(usage),
    cut: () => (parts === 0 ? null : completion(usage ?? usageOf(parts)))
  }
}

/** The first delta mostly has only the role, and the last one has nothing. */
const hasToken = (delta: JsonObject): boolean =>
  texts.some((name) => typeof delta[name] === "string" && delta[name] !== "") ||
  isObject(delta["function_call"]) ||
  (isList(delta["tool_calls"]) && delta["tool_calls"].length > 0)

const empty = (): Choice => ({
  role: null,
  texts: new Map(),
  tools: [],
  function: null,
  logprobs: new Map(),
  finishReason: null
})

const call = (): Called => ({ id: null, type: null, name: null, arguments: GrowingText.make() })

const usageOf = (parts: number): JsonObject => ({
  prompt_tokens: 0,
  completion_tokens: parts,
  total_tokens: parts
})

const logprobsOf = ({ logprobs }: Choice): Json => (logprobs.size === 0 ? null : Object.fromEntries(logprobs))

const textChoiceOf = (choice: Choice, index: number): JsonObject => ({
  index,
  text: choice.texts.get("text")?.text() ?? "",
  logprobs: logprobsOf(choice),
  finish_reason: choice.finishReason
})

const chatChoiceOf = (choice: Choice, index: number): JsonObject => {
  const tools = choice.tools.flatMap((called) =>
    called === undefined
      ? []
      : [{ id: called.id, type: called.type ?? "function", function: functionOf(called) }]
  )
  return {
    index,
    message: {
      role: choice.role ?? "assistant",
      content: null,
      ...Object.fromEntries(Array.from(choice.texts, ([name, text]) => [name, text.text()])),
      ...(tools.length > 0 && { tool_calls: tools }),
      ...(choice.function !== null && { function_call: functionOf(choice.function) })
    },
    logprobs: logprobsOf(choice),
    finish_reason: choice.finishReason
  }
}

const functionOf = ({ arguments: text, name }: Called): JsonObject => ({ name, arguments: text.text() })
