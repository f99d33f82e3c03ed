/** Completions and their chunks: the one chunk that a whole completion is, what it lacks, and the text in a chunk. */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as ToolCalls from "./ToolCalls.ts"

const choicesIn = ({ choices }: JsonObject): ReadonlyArray<JsonObject> =>
  isList(choices) ? choices.filter(isObject) : []

/** Calls in a delta have their index, by which parts of them are joined. */
const indexed = (calls: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  calls.map((call, index) => (isObject(call) ? { index, ...call } : call))

const deltaOf = (message: Json | undefined): JsonObject => {
  if (!isObject(message)) return {}
  const { tool_calls: calls } = message
  return isList(calls) ? { ...message, tool_calls: indexed(calls) } : message
}

/** A `text_completion` and its chunks have the same form. */
export const ofCompletion = (completion: JsonObject): JsonObject =>
  completion["object"] === "text_completion"
    ? completion
    : {
        ...completion,
        object: "chat.completion.chunk",
        choices: choicesIn(completion).map(({ delta, message, ...choice }) => ({
          ...choice,
          delta: isObject(delta) ? delta : deltaOf(message)
        }))
      }

/** Its words: each is at least one token, so they count at most what was delivered. */
const wordsIn = (value: Json | undefined): number => {
  if (typeof value === "string") return value.match(/\S+/g)?.length ?? 0
  if (isList(value)) return value.reduce<number>((sum, item) => sum + wordsIn(item), 0)
  return isObject(value) ? wordsIn(value["text"]) : 0
}

const wordsOf = ({ message, text }: JsonObject): number => {
  if (!isObject(message)) return wordsIn(text)
  const { content, reasoning, reasoning_content: thoughts, refusal, tool_calls: calls } = message
  return (
    wordsIn([content ?? "", refusal ?? "", thoughts ?? reasoning ?? ""]) + (isList(calls) ? calls.length : 0)
  )
}

/** The usage of a completion that came whole, and whose server does not tell it. */
const usageOf = (completion: JsonObject): JsonObject => {
  const tokens = choicesIn(completion).reduce((sum, choice) => sum + wordsOf(choice), 0)
  return { prompt_tokens: 0, completion_tokens: tokens, total_tokens: tokens }
}

const withCalls = (choice: Json): Json => {
  const message = JsonText.member(choice, "message")
  if (!isObject(choice) || !isObject(message)) return choice
  const { tool_calls: calls } = message
  const mended = isList(calls) ? ToolCalls.mended(calls) : calls
  return mended === undefined || mended === calls
    ? choice
    : JsonText.edit(choice, { set: { message: JsonText.edit(message, { set: { tool_calls: mended } }) } })
}

/** A completion that came whole, with ids of its calls, their arguments as text, and a usage. The same if it has them. */
export const completed = (completion: JsonObject): JsonObject => {
  const { usage = null } = completion
  const choices = JsonText.member(completion, "choices")
  const given = isList(choices) ? JsonText.items(choices) : []
  const made = given.map(withCalls)
  const isSame = made.every((choice, place) => choice === given[place])
  if (isSame && usage !== null) return completion
  return JsonText.edit(completion, {
    set: { ...(!isSame && { choices: made }), ...(usage === null && { usage: usageOf(completion) }) }
  })
}

/** The text of choice 0 in a chunk; empty without one. */
export const textIn = (chunk: JsonObject): string =>
  choicesIn(chunk).reduce((all, choice) => {
    if ((choice["index"] ?? 0) !== 0) return all
    const { delta, text } = choice
    const said = isObject(delta) ? delta["content"] : text
    return all + textOf(said)
  }, "")

/** Content may be a list of parts, of which some are texts. */
const textOf = (content: Json | undefined): string => {
  if (typeof content === "string") return content
  if (!isList(content)) return ""
  return content
    .map((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("")
}
