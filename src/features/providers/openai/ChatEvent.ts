/**
 * What an event of a streamed completion is. Servers put errors, signs of life and their usage between the chunks in forms of their
 * own. None of them is text.
 */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as ServerEvents from "../ServerEvents.ts"

export type ChatEvent =
  | { readonly _tag: "Chunk"; readonly chunk: JsonObject }
  | { readonly _tag: "Failed"; readonly error: Json }
  | { readonly _tag: "Done" }
  /** It only shows that the server is there. */
  | { readonly _tag: "Idle" }
  /** The protocol has no such event. */
  | { readonly _tag: "Babble" }

const idle: ChatEvent = { _tag: "Idle" }
const babble: ChatEvent = { _tag: "Babble" }
const done: ChatEvent = { _tag: "Done" }

const aliveName = /^(?:ping|pong|heart-?_?beat|keep-?_?alive|comment)$/i

const isAlive = (name: Json | undefined): boolean => typeof name === "string" && aliveName.test(name)

/** Whether a member that holds an error holds one. */
const isTold = (value: Json | undefined): value is Exclude<Json, null> =>
  value !== undefined && value !== null && value !== false && value !== ""

/** The error in a chunk's choices: `error`, or `error` as the reason to finish. */
const inChoices = (choices: ReadonlyArray<Json>): Json | null => {
  const failed = choices
    .filter(isObject)
    .find(({ error, finish_reason: finish }) => isTold(error) || finish === "error")
  if (failed === undefined) return null
  return isObject(failed["error"]) ? failed["error"] : failed
}

/** Members with which objects without choices tell an error. */
const telling = ["detail", "errors", "message", "error_message", "msg", "exception"] as const

/** The error that an object tells; `null` if it tells none. A text in `error` may have its code beside it. */
const errorIn = (name: string, json: JsonObject): Json | null => {
  const { choices, error, object, type } = json
  if (isTold(error)) return isObject(error) ? error : json
  if (name === "error" || object === "error" || type === "error") return json
  if (isList(choices)) return inChoices(choices)
  return !isChunk(json) && telling.some((member) => isTold(json[member])) ? json : null
}

/** Whether an object without choices still has members of the completion, such as its usage. */
const isChunk = ({ object, usage }: JsonObject): boolean =>
  object === "chat.completion.chunk" ||
  object === "chat.completion" ||
  object === "text_completion" ||
  isObject(usage)

/** The error that a whole answer tells in the place of a completion; `null` if it tells none. */
export const errorOf = (json: Json | undefined): Json | null => (isObject(json) ? errorIn("", json) : null)

/** `type` and `object` of a frame that is no chunk are its own. */
const frameOf = (json: JsonObject): JsonObject => {
  const { object: _object, type: _type, ...members } = json
  return typeof json["type"] === "string" ? { ...members, choices: [] } : { ...json, choices: [] }
}

const ofObject = (name: string, json: JsonObject): ChatEvent => {
  const isSign = isAlive(name) || isAlive(json["type"]) || isAlive(json["object"])
  const { choices = null } = json
  if (isSign && choices === null) return idle
  const error = errorIn(name, json)
  if (error !== null) return { _tag: "Failed", error }
  if (choices !== null) return { _tag: "Chunk", chunk: json }
  return isChunk(json) ? { _tag: "Chunk", chunk: frameOf(json) } : idle
}

export const of = (event: ServerEvents.ServerEvent): ChatEvent => {
  const text = event.data.trim()
  if (text === "[DONE]") return done
  if (text === "" || isAlive(text)) return idle
  const json = ServerEvents.jsonOf(event)
  if (isObject(json)) return ofObject(event.event, json)
  if (event.event === "error") return { _tag: "Failed", error: json ?? text }
  return isAlive(event.event) ? idle : babble
}
