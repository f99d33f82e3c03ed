/**
 * JSON bodies (decisions, "Bodies"; security, "JSON parsing"). What passes is JSON that can be stored and read back as
 * it is: valid UTF-8, at most `maxDepth` levels deep, every number finite.
 */
import { Result } from "effect"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as Refusal from "../Refusal.ts"
import { issue } from "./Parsed.ts"

/** Bytes. */
export const maxBytes = 10 * 1024 * 1024
export const maxDepth = 128

const utf8 = new TextDecoder("utf-8", { fatal: true })

const notUtf8 = Refusal.malformed("The request body is not valid UTF-8.")
const notJson = Refusal.malformed("The request body is not valid JSON.")
const tooDeep = Refusal.malformed(`The request body is nested more than ${maxDepth} levels deep.`)
const notFinite = Refusal.malformed("The request body has a number out of range.")
const notAnObject = Refusal.invalid([issue([], "type", "must be object")])

/** Never throws, whatever the bytes. */
export const parseObject = (bytes: Uint8Array): Result.Result<JsonObject, Refusal.Refusal> =>
  Result.flatMap(parse(bytes), (json) => (isObject(json) ? Result.succeed(json) : Result.fail(notAnObject)))

const parse = (bytes: Uint8Array): Result.Result<Json, Refusal.Refusal> => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return Result.fail(notUtf8)
  }
  const { isTooDeep, mayOverflow } = scan(text)
  if (isTooDeep) return Result.fail(tooDeep)
  let json: Json
  try {
    json = JSON.parse(text) as Json
  } catch {
    return Result.fail(notJson)
  }
  return mayOverflow && !isFinite(json) ? Result.fail(notFinite) : Result.succeed(json)
}

const isObject = (json: Json): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/**
 * Looked at before parsing, for the parser would build a million levels without complaint. `mayOverflow`: only then can a
 * number be out of range, that is infinite, which JSON cannot write back.
 */
const scan = (text: string): { readonly isTooDeep: boolean; readonly mayOverflow: boolean } => {
  let depth = 0
  let digits = 0
  let isString = false
  let mayOverflow = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isString) {
      if (code === backslash) index++
      else if (code === quote) isString = false
    } else if (code >= zero && code <= nine) {
      mayOverflow ||= ++digits > safeDigits
    } else {
      if (code === quote) isString = true
      else if (code === openBrace || code === openBracket) depth++
      else if (code === closeBrace || code === closeBracket) depth--
      else if (digits > 0 && (code === lowerE || code === upperE)) mayOverflow = true
      if (depth > maxDepth) return { isTooDeep: true, mayOverflow }
      digits = 0
    }
  }
  return { isTooDeep: false, mayOverflow }
}

/** A number of that many digits and without an exponent is finite. */
const safeDigits = 300

const quote = 0x22
const zero = 0x30
const nine = 0x39
const upperE = 0x45
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const lowerE = 0x65
const openBrace = 0x7b
const closeBrace = 0x7d

const isFinite = (json: Json): boolean => {
  if (typeof json === "number") return Number.isFinite(json)
  return typeof json !== "object" || json === null || Object.values(json).every(isFinite)
}
