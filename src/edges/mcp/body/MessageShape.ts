/** Limits the parts of a message: ten megabytes of one-letter names would block the server for seconds. */
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import type { ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"
import * as JsonRpc from "../JsonRpc.ts"
import { mostParts, ofItsOwn } from "./MessageLimits.ts"
import * as MessageErrorAnswers from "./MessageErrorAnswers.ts"

interface Room {
  /** Members and elements. */
  parts: number
  /** Characters of names and texts. */
  characters: number
}

/** Subtracts what the value needs, and stops when the budget is used up. */
const fits = (json: Json, room: Room): boolean => {
  if (typeof json === "string") return take(room, 0, json.length)
  if (typeof json !== "object" || json === null) return true
  if (!isObject(json)) return json.every((element) => take(room, 1, 0) && fits(element, room))
  for (const name in json) {
    if (!take(room, 1, name.length) || !fits(json[name] ?? null, room)) return false
  }
  return true
}

const take = (room: Room, parts: number, characters: number): boolean => {
  room.parts -= parts
  room.characters -= characters
  return room.parts >= 0 && room.characters >= 0
}

/** The message without `input` and `data`, which may be large. */
const ownOf = (message: Json): Json => {
  const call = JsonRpc.toolCallOf(message)
  if (call === null) return message
  const { data: _data, input: _input, ...rest } = call.given
  return { ...call.message, params: { ...call.params, arguments: rest } }
}

const refusedOne = (message: Json): ErrorAnswer | null => {
  const room = { ...ofItsOwn }
  if (fits(ownOf(message), room)) return null
  return room.parts < 0 ? MessageErrorAnswers.tooManyParts : MessageErrorAnswers.tooLong
}

/** Why a message, or one of a batch, is too large; `null` when it is not. */
export const refused = (json: Json): ErrorAnswer | null => {
  if (!fits(json, { parts: mostParts, characters: Infinity })) return MessageErrorAnswers.tooManyParts
  if (!Array.isArray(json)) return refusedOne(json)
  for (const message of json) {
    const errorAnswer = refusedOne(message)
    if (errorAnswer !== null) return errorAnswer
  }
  return null
}
