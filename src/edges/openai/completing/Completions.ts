/** Answers of chats and completions: what a model's output is in OpenAI's form, under our names. */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"

export type Kind = "chat" | "completions"

export interface Names {
  readonly id: string
  readonly model: string
  /** Unix time in seconds. */
  readonly created: number
}

const prefixes: Readonly<Record<Kind, string>> = { chat: "chatcmpl-", completions: "cmpl-" }

const objects: Readonly<Record<Kind, { readonly whole: string; readonly chunk: string }>> = {
  chat: { whole: "chat.completion", chunk: "chat.completion.chunk" },
  completions: { whole: "text_completion", chunk: "text_completion" }
}

export const namesOf = (kind: Kind, { id, request }: Snapshot): Names => ({
  id: prefixes[kind] + id,
  model: request.submitted.model,
  created: Math.floor(request.submitted.at / 1_000)
})

/** What a model says whose output is no completion: a text, or an object with one. */
const textOf = (output: Json): string => {
  if (typeof output === "string") return output
  const text = isObject(output) ? (output["text"] ?? output["content"]) : undefined
  return typeof text === "string" ? text : JsonText.write(output)
}

const usageIn = (output: Json): Json => (isObject(output) ? (output["usage"] ?? null) : null)

const isCompletion = (output: Json): output is JsonObject =>
  isObject(output) && Array.isArray(output["choices"])

const choiceOf = (kind: Kind, text: string): JsonObject =>
  kind === "chat"
    ? { index: 0, message: { role: "assistant", content: text }, logprobs: null, finish_reason: "stop" }
    : { index: 0, text, logprobs: null, finish_reason: "stop" }

/** The answer of a call without a stream. A completion keeps everything but its names. */
export const whole = (kind: Kind, { created, id, model }: Names, output: Json): JsonObject =>
  isCompletion(output)
    ? JsonText.edit(output, { set: named(output, { id, object: objects[kind].whole, created, model }) })
    : {
        id,
        object: objects[kind].whole,
        created,
        model,
        choices: [choiceOf(kind, textOf(output))],
        usage: usageIn(output)
      }

/** A chunk of the provider, under our names. */
export const chunk = (kind: Kind, { created, id, model }: Names, given: JsonObject): JsonObject =>
  JsonText.edit(given, { set: named(given, { id, object: objects[kind].chunk, created, model }) })

/** Our names. A time of the provider's own stays. */
const named = (
  given: JsonObject,
  { created, ...names }: Names & { readonly object: string }
): JsonObject => ({
  ...names,
  ...(!Object.hasOwn(given, "created") && { created })
})

/** A chunk of a text. */
export const textChunk = (kind: Kind, names: Names, text: string, finish: string | null): JsonObject => {
  const choice =
    kind === "chat"
      ? { index: 0, delta: finish === null ? { content: text } : {}, logprobs: null, finish_reason: finish }
      : { index: 0, text, logprobs: null, finish_reason: finish }
  return chunk(kind, names, { choices: [choice] })
}

/** With which OpenAI begins a chat. */
export const roleChunk = (names: Names): JsonObject =>
  chunk("chat", names, {
    choices: [{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }]
  })

/** The last chunk for clients with `include_usage`. */
export const usageChunk = (kind: Kind, names: Names, usage: Json): JsonObject =>
  chunk(kind, names, { choices: [], usage })
