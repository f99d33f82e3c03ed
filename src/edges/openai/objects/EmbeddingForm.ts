/** The form of the vectors of an answer: lists of numbers, or base64 of little-endian float32 (`encoding_format`). */
import { Result } from "effect"
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"

export type EmbeddingForm = "float" | "base64"

const unknown = OpenaiErrors.invalid("encoding_format must be float or base64.", "encoding_format")

/** @param given `encoding_format` of a call. */
export const of = (given: Json | undefined): Result.Result<EmbeddingForm, ErrorAnswer> => {
  if (given === undefined || given === null) return Result.succeed("float")
  return given === "float" || given === "base64" ? Result.succeed(given) : Result.fail(unknown)
}

const bytesPerNumber = 4

const isNumber = (value: Json): value is number => typeof value === "number"

const toBase64 = (numbers: ReadonlyArray<number>): string => {
  const bytes = Buffer.alloc(numbers.length * bytesPerNumber)
  numbers.forEach((value, index) => bytes.writeFloatLE(value, index * bytesPerNumber))
  return bytes.toString("base64")
}

/** `null` if these are not whole numbers of four bytes each. */
const fromBase64 = (text: string): ReadonlyArray<number> | null => {
  const bytes = Buffer.from(text, "base64")
  if (bytes.length % bytesPerNumber !== 0) return null
  return Array.from({ length: bytes.length / bytesPerNumber }, (_one, index) =>
    bytes.readFloatLE(index * bytesPerNumber)
  )
}

const vectorIn = (form: EmbeddingForm, vector: Json): Json => {
  if (form === "float") return typeof vector === "string" ? (fromBase64(vector) ?? vector) : vector
  return isList(vector) && vector.every(isNumber) ? toBase64(vector) : vector
}

/** The answer with its vectors in this form, whichever the provider gave. */
export const answered = (form: EmbeddingForm, answer: JsonObject): JsonObject => {
  const data = JsonText.member(answer, "data")
  if (!isList(data)) return answer
  const given = JsonText.items(data)
  const formed = given.map((one) => {
    const vector = JsonText.member(one, "embedding")
    const embedding = vector === undefined ? undefined : vectorIn(form, vector)
    return isObject(one) && embedding !== undefined && embedding !== vector
      ? JsonText.edit(one, { set: { embedding } })
      : one
  })
  return formed.every((one, place) => one === given[place])
    ? answer
    : JsonText.edit(answer, { set: { data: formed } })
}
