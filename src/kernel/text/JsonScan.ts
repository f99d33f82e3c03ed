/**
 * Scans the bytes of a JSON text for its depth and the approximate memory of its value, before it is parsed. The weights
 * are those of V8 without pointer compression, measured with `JSON.parse` (docs/decisions/0038): a text of tiny values
 * takes up to thirty times its size.
 */
import * as crypto from "node:crypto"

export interface Scan {
  /** Levels of arrays and objects. The scan stops at `maxDepth` + 1. */
  readonly depth: number
  /** Bytes of heap that the values take besides their texts. The scan stops above `maxWeight`. */
  readonly weight: number
  /** `false`: no number can be infinite, which JSON could not write back. */
  readonly mayOverflow: boolean
  /** Names of members, in all objects. An object that has a name twice has it counted twice. */
  readonly names: number
}

export interface Limits {
  readonly maxDepth: number
  readonly maxWeight: number
}

/** Bytes, including the reference in the parent. */
const container = 64
const string = 32
const number = 24

/** A member of an object whose names so far match an object seen before. Otherwise V8 creates a hidden class. */
const member = 8
const newShape = 200

/** Known shapes, as hashes in a bit table. The random seed keeps clients from choosing names that collide. */
const seed = crypto.randomInt(2 ** 31)
const shapeBits = { short: 12, long: 20 }
const shortText = 4 * 1024

/** A number with at most this many digits and no exponent is finite. */
const safeDigits = 300

/** Bytes of a name, and of another string, that are read one by one. Beyond that, the closing quote is searched for. */
const longName = 256
const longString = 16

/** Tables of the scan that runs. Allocating them would cost more than scanning a short text. */
const shortSeen = new Uint8Array(2 ** shapeBits.short / 8)
/** Per depth: a hash of the object's names so far. */
let shapes = new Int32Array(0)
/** Per depth: whether the container is an object. */
let isObject = new Uint8Array(0)

/** Depths above the first are written before they are read. */
const prepare = (depths: number) => {
  if (shapes.length < depths) {
    shapes = new Int32Array(depths)
    isObject = new Uint8Array(depths)
  }
  shapes[0] = isObject[0] = 0
}

/** Quotes to search for in one string before reading byte by byte. */
const quotesSought = 64

export const scan = (bytes: Uint8Array, { maxDepth, maxWeight }: Limits): Scan => {
  const bits = bytes.length < shortText ? shapeBits.short : shapeBits.long
  const seen = bits === shapeBits.short ? shortSeen.fill(0) : new Uint8Array(2 ** bits / 8)
  prepare(maxDepth + 2)
  let weight = 0
  let depth = 0
  let digits = 0
  let mayOverflow = false
  let names = 0
  let isNumber = false
  let isKey = false
  for (let index = 0; index < bytes.length && weight <= maxWeight; index++) {
    const byte = bytes[index] ?? 0
    if (isDigit(byte)) {
      if (!isNumber) weight += number
      isNumber = true
      digits++
      mayOverflow ||= digits > safeDigits
      continue
    }
    switch (byte) {
      case quote: {
        let hash = shapes[depth] ?? 0
        const start = index + 1
        const near = Math.min(start + (isKey ? longName : longString), bytes.length)
        let at = start
        for (; at < near; at++) {
          const next = bytes[at] ?? 0
          if (next === quote) break
          if (isKey) hash = Math.imul(hash ^ next, 0x01000193)
          if (next === backslash) at++
        }
        if (at >= near) {
          at = endOfString(bytes, at)
          // Long names with the same beginning and length count as one: each is long enough to pay for its own
          // class.
          hash = Math.imul(hash ^ (at - start), 0x01000193)
        }
        index = at
        if (!isKey) weight += string
        else {
          names++
          hash = Math.imul(hash ^ quote, 0x01000193)
          shapes[depth] = hash
          // V8 stores a numeric name in a table of the object itself.
          weight += isNew(seen, bits, hash) || isDigit(bytes[start] ?? 0) ? newShape : member
          isKey = false
        }
        break
      }
      case openBrace:
      case openBracket:
        weight += container
        depth++
        if (depth > maxDepth) return { depth, weight, mayOverflow, names }
        isKey = byte === openBrace
        isObject[depth] = isKey ? 1 : 0
        shapes[depth] = seed
        break
      case closeBrace:
      case closeBracket:
        if (depth > 0) depth--
        isKey = false
        break
      case comma:
        weight += member
        isKey = isObject[depth] === 1
        break
      case lowerE:
      case upperE:
        if (digits > 0) mayOverflow = true
        digits = 0
        continue
      case point:
      case plus:
      case minus:
        digits = 0
        continue
    }
    digits = 0
    isNumber = false
  }
  return { depth, weight, mayOverflow, names }
}

/** The end of the string around `from`: its closing quote, or the end of the text. */
const endOfString = (bytes: Uint8Array, from: number): number => {
  let at = from
  for (let found = 0; found < quotesSought; found++) {
    const next = bytes.indexOf(quote, at)
    if (next === -1) return bytes.length
    let backslashes = 0
    while (next - backslashes > from && bytes[next - backslashes - 1] === backslash) backslashes++
    if (backslashes % 2 === 0) return next
    at = next + 1
  }
  // With many escaped quotes, reading byte by byte is faster.
  for (; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++
  return at
}

/** Also marks the hash as seen. */
const isNew = (seen: Uint8Array, bits: number, hash: number): boolean => {
  const spread = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> (32 - bits)
  const bit = 1 << (spread & 7)
  const before = seen[spread >>> 3] ?? 0
  seen[spread >>> 3] = before | bit
  return (before & bit) === 0
}

const isDigit = (byte: number): boolean => byte >= zero && byte <= nine

const quote = 0x22
const plus = 0x2b
const comma = 0x2c
const minus = 0x2d
const point = 0x2e
const zero = 0x30
const nine = 0x39
const upperE = 0x45
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const lowerE = 0x65
const openBrace = 0x7b
const closeBrace = 0x7d
