/** Completions and their chunks: the one chunk that a whole completion is, and the text in a chunk. */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"

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
        choices: choicesIn(completion).map(({ message, ...choice }) => ({
          ...choice,
          delta: deltaOf(message)
        }))
      }

/** The text of choice 0 in a chunk; empty without one. */
export const textIn = (chunk: JsonObject): string =>
  choicesIn(chunk).reduce((all, choice) => {
    if ((choice["index"] ?? 0) !== 0) return all
    const { delta, text } = choice
    const said = isObject(delta) ? delta["content"] : text
    return typeof said === "string" ? all + said : all
  }, "")
