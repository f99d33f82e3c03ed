/** Where the members of a JSON object are in its text, so that a large one can be handed on without being parsed here. */
import * as JsonScan from "./JsonScan.ts"

/** The value of a member is at `start` up to before `end`. `name` as it is written, with its quotes. */
type Visit = (name: Uint8Array, start: number, end: number) => void

/** Calls `visit` for each member. Returns false for a text that is no object. Values are not checked: parse them. */
export const visit = (bytes: Uint8Array, visit: Visit): boolean => {
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== openBrace) return false
  at = skipSpace(bytes, at + 1)
  if (bytes[at] === closeBrace) return skipSpace(bytes, at + 1) === bytes.length
  while (bytes[at] === quote) {
    const nameEnd = JsonScan.endOfString(bytes, at + 1) + 1
    const name = bytes.subarray(at, nameEnd)
    at = skipSpace(bytes, nameEnd)
    if (bytes[at] !== colon) return false
    const start = skipSpace(bytes, at + 1)
    const end = endOfValue(bytes, start)
    visit(name, start, end)
    at = skipSpace(bytes, end)
    if (bytes[at] === closeBrace) return skipSpace(bytes, at + 1) === bytes.length
    if (bytes[at] !== comma) return false
    at = skipSpace(bytes, at + 1)
  }
  return false
}

/** The name without its quotes and escapes; `null` for one that is longer than `longest` bytes, or not valid. */
export const nameOf = (written: Uint8Array, longest: number): string | null => {
  if (written.length > longest) return null
  try {
    const name: unknown = JSON.parse(Buffer.from(written).toString())
    return typeof name === "string" ? name : null
  } catch {
    return null
  }
}

const skipSpace = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (isSpace(bytes[at])) at++
  return at
}

/** The end of the value at `start`, or of the text. */
const endOfValue = (bytes: Uint8Array, start: number): number => {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        at = JsonScan.endOfString(bytes, at + 1)
        if (depth === 0) return Math.min(at + 1, bytes.length)
        break
      case openBrace:
      case openBracket:
        depth++
        break
      case closeBrace:
      case closeBracket:
        // Of the object itself, after a number or a word.
        if (depth === 0) return at
        depth--
        if (depth === 0) return at + 1
        break
      case comma:
        if (depth === 0) return at
        break
    }
  }
  return bytes.length
}

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
