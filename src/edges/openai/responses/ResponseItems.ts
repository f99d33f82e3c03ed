/**
 * The output items of a response (https://platform.openai.com/docs/api-reference/responses/object), made of a chat's message.
 * An item's id names the request that made it and its place, so that a later call can refer to it (`ItemReferences.ts`).
 */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as CustomTools from "./CustomTools.ts"

export interface Maker {
  /** Of the request. */
  readonly id: string
  /** Names of the tools that take a text. */
  readonly custom: ReadonlySet<string>
}

export interface Call {
  /** Among the calls of the message. */
  readonly place: number
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export interface Said {
  readonly text: string | null
  readonly refusal: string | null
  readonly annotations: ReadonlyArray<Json>
  /** Of the tokens of the text, if the call asked for them. */
  readonly logprobs: ReadonlyArray<Json>
}

type Status = "in_progress" | "completed"

export const messageId = ({ id }: Maker): string => `msg_${id}`

/** @param round counts up where a model thinks again after it has said something. */
export const reasoningId = ({ id }: Maker, round = 0): string => `rs_${id}${round === 0 ? "" : `_${round}`}`

/** The id of a call that the provider gave none. */
export const madeCallId = (id: string, place: number): string => `call_${id}_${place}`

export const isCustom = ({ custom }: Maker, { name }: Call): boolean => custom.has(name)

export const callItemId = (maker: Maker, call: Call): string =>
  `${isCustom(maker, call) ? "ctc" : "fc"}_${maker.id}_${call.place}`

export const textPart = (
  text: string,
  { annotations, logprobs }: Pick<Said, "annotations" | "logprobs"> = { annotations: [], logprobs: [] }
): JsonObject => ({ type: "output_text", text, annotations, logprobs })

export const refusalPart = (refusal: string): JsonObject => ({ type: "refusal", refusal })

export const summaryPart = (text: string): JsonObject => ({ type: "summary_text", text })

const partsOf = (said: Said): ReadonlyArray<JsonObject> => {
  const { refusal, text } = said
  const isPlain = text !== null || refusal === null
  return [
    ...(isPlain ? [textPart(text ?? "", said)] : []),
    ...(refusal === null ? [] : [refusalPart(refusal)])
  ]
}

export const message = (maker: Maker, said: Said | null): JsonObject => ({
  id: messageId(maker),
  type: "message",
  status: said === null ? "in_progress" : "completed",
  role: "assistant",
  content: said === null ? [] : partsOf(said)
})

export const reasoning = (maker: Maker, text: string | null, round = 0): JsonObject => ({
  id: reasoningId(maker, round),
  type: "reasoning",
  summary: text === null ? [] : [summaryPart(text)]
})

export const call = (maker: Maker, one: Call, status: Status): JsonObject => {
  const { arguments: given, id, name } = one
  const head = { id: callItemId(maker, one), status, call_id: id, name }
  return isCustom(maker, one)
    ? { ...head, type: "custom_tool_call", input: CustomTools.textOf(given) }
    : { ...head, type: "function_call", arguments: given }
}

/** A citation in the form of responses: a chat nests its members under its type. */
const annotation = (given: Json): Json => {
  if (!isObject(given)) return given
  const { type } = given
  const nested = typeof type === "string" ? given[type] : undefined
  return isObject(nested) ? { ...nested, type: type ?? null } : given
}

const textsIn = (content: Json | undefined, type: string): string => {
  if (!isList(content)) return ""
  return content
    .filter(isObject)
    .filter((part) => part["type"] === type)
    .map((part) => (typeof part[type] === "string" ? part[type] : textsIn(part[type], "text")))
    .join("")
}

const orNull = (value: Json | undefined): string | null =>
  typeof value === "string" && value !== "" ? value : null

/** What a message or a delta of it says; its content is a text, or a list of parts. @param choice of which it is. */
export const saidIn = (given: JsonObject, { logprobs }: JsonObject): Said => {
  const tokens = isObject(logprobs) ? logprobs["content"] : undefined
  const { annotations, content, refusal } = given
  return {
    text: orNull(typeof content === "string" ? content : textsIn(content, "text")),
    refusal: orNull(refusal),
    annotations: isList(annotations) ? annotations.map(annotation) : [],
    logprobs: isList(tokens) ? tokens : []
  }
}

/** Thoughts, which servers name differently and some under both names. */
export const thoughtIn = ({ content, reasoning, reasoning_content: named }: JsonObject): string =>
  orNull(named) ?? orNull(reasoning) ?? textsIn(content, "thinking")

/** Some servers give the arguments as an object. */
export const argumentsIn = (given: Json | undefined): string => {
  if (typeof given === "string") return given
  return isObject(given) ? JSON.stringify(given) : ""
}

/** The calls in a chat's message. @param id of the request. */
export const callsIn = (id: string, { tool_calls: calls }: JsonObject): ReadonlyArray<Call> =>
  (isList(calls) ? calls : []).flatMap((given, place) => {
    const named = isObject(given) ? given["function"] : undefined
    if (!isObject(given) || !isObject(named)) return []
    return [
      {
        place,
        id: orNull(given["id"]) ?? madeCallId(id, place),
        name: String(named["name"] ?? ""),
        arguments: argumentsIn(named["arguments"])
      }
    ]
  })

/** The first choice of a chat, and its message. */
export interface Chosen {
  readonly choice: JsonObject
  readonly message: JsonObject
}

/** `null` if the output is no chat completion. */
export const chosenIn = (completion: Json): Chosen | null => {
  const choices = isObject(completion) ? completion["choices"] : undefined
  const [choice] = isList(choices) ? choices : []
  if (!isObject(choice)) return null
  const { message } = choice
  return isObject(message) ? { choice, message } : null
}

/** The items of a chat's message. A message that neither says nor calls anything is an empty item. */
export const ofChosen = (maker: Maker, { choice, message: given }: Chosen): ReadonlyArray<JsonObject> => {
  const said = saidIn(given, choice)
  const thought = thoughtIn(given)
  const calls = callsIn(maker.id, given)
  const isSilent = said.text === null && said.refusal === null
  return [
    ...(thought === "" ? [] : [reasoning(maker, thought)]),
    ...(isSilent && calls.length > 0 ? [] : [message(maker, said)]),
    ...calls.map((one) => call(maker, one, "completed"))
  ]
}
