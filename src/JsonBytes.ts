/**
 * JSON of bytes that are not trusted (security, "JSON parsing"). What passes can be stored and read back as it is: valid
 * UTF-8, at most `maxDepth` levels deep, every number finite.
 */
import { Result } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"

export const maxDepth = 128

export type Fault = "not_utf8" | "not_json" | "too_deep" | "not_finite"

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Never throws, whatever the bytes. */
export const parse = (bytes: Uint8Array): Result.Result<Json, Fault> => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return Result.fail("not_utf8")
  }
  const { isTooDeep, mayOverflow } = scan(text)
  if (isTooDeep) return Result.fail("too_deep")
  let json: Json
  try {
    json = JSON.parse(text) as Json
  } catch {
    return Result.fail("not_json")
  }
  return mayOverflow && !isFinite(json) ? Result.fail("not_finite") : Result.succeed(json)
}

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
