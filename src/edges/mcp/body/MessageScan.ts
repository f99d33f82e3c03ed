/**
 * Finds the one string of a message that may exceed memory, `params.arguments.data`, while its bytes arrive. It goes
 * by position alone, since the tool's name may come later, and checks no other JSON syntax: the rest of the message
 * is parsed later, with a short string in its place.
 */
import { maxDepth } from "#src/kernel/text/JsonBytes.ts"

/** Receives every byte once and in order. Chunks are passed on without copying. */
interface Sink {
  /** Bytes that stay in the message, including the string's quotes. */
  readonly onText: (bytes: Uint8Array) => void
  /** Bytes of a string above the limit, as in the message, with escapes. */
  readonly onLong: (raw: Uint8Array) => void
  readonly onLongEnd: () => void
}

export type ScanError = "too_deep" | "too_many" | "not_json"

interface Limits {
  /** Bytes of the string in the message up to which it stays in memory. */
  readonly text: number
  /** Members and elements, within a factor of two. The parsed message is counted exactly. */
  readonly parts: number
}

/** Takes the next chunk. Chunks may end anywhere. Do not push after a fault. */
type Push = (chunk: Uint8Array) => ScanError | null

interface Container {
  readonly isObject: boolean
  /** The key of the current member. */
  key: string
}

/** The string that contains a byte, if any. */
type StringKind = "key" | "value" | "data" | null

const place = ["params", "arguments", "data"] as const

/** The longest key that can match, in bytes, with every character escaped. */
const longestKey = 64

export const make = (sink: Sink, limits: Limits): Push => {
  const containers: Array<Container> = []
  /** Opening brackets and commas. Every value follows one of them, and every empty container has one of its own. */
  let marks = 0
  let isKeyNext = false
  let string: StringKind = null
  let isEscaped = false
  let isLong = false
  /** Bytes of a key, or of `data` while it is short. */
  let pending: Array<Uint8Array> = []
  let pendingBytes = 0

  const hold = (bytes: Uint8Array) => {
    pending.push(bytes)
    pendingBytes += bytes.length
  }

  const letGo = (): ReadonlyArray<Uint8Array> => {
    const bytes = pending
    pending = []
    pendingBytes = 0
    return bytes
  }

  const isAtPlace = () =>
    containers.length === place.length &&
    containers.every(({ isObject, key }, depth) => isObject && key === place[depth])

  const kindOfNext = (): StringKind => {
    if (isKeyNext) return "key"
    return isAtPlace() ? "data" : "value"
  }

  const data = (bytes: Uint8Array) => {
    if (isLong) return sink.onLong(bytes)
    hold(bytes)
    if (pendingBytes <= limits.text) return
    isLong = true
    for (const bytes of letGo()) sink.onLong(bytes)
  }

  const end = () => {
    const top = containers.at(-1)
    if (string === "key" && top !== undefined) {
      const isShort = pendingBytes <= longestKey
      const raw = Buffer.concat(letGo())
      top.key = isShort ? decode(raw) : ""
    }
    if (string === "data") {
      if (isLong) sink.onLongEnd()
      else for (const bytes of letGo()) sink.onText(bytes)
      isLong = false
    }
    string = null
    isKeyNext = false
  }

  const open = (isObject: boolean) => {
    marks++
    containers.push({ isObject, key: "" })
    isKeyNext = isObject
  }

  const structure = (byte: number) => {
    switch (byte) {
      case openBrace:
        return open(true)
      case openBracket:
        return open(false)
      case closeBrace:
      case closeBracket:
        containers.pop()
        isKeyNext = false
        return
      case comma:
        marks++
        isKeyNext = containers.at(-1)?.isObject === true
        return
    }
  }

  /** The index of the closing quote or of a byte that is invalid in `data`, or the length of the chunk. */
  const stopIn = (chunk: Uint8Array, from: number): number => {
    let index = from
    for (; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0
      if (byte < space && string === "data") return index
      if (isEscaped) isEscaped = false
      else if (byte === quote) return index
      else if (byte === backslash) isEscaped = true
    }
    return index
  }

  return (chunk) => {
    /** Bytes of the chunk that the sink has received. */
    let passedOn = 0
    for (let index = 0; index < chunk.length; index++) {
      if (string === null) {
        const byte = chunk[index] ?? 0
        if (byte !== quote) {
          structure(byte)
          if (containers.length > maxDepth) return "too_deep"
          if (marks > 2 * limits.parts) return "too_many"
          continue
        }
        string = kindOfNext()
        if (string === "data") {
          sink.onText(chunk.subarray(passedOn, index + 1))
          passedOn = index + 1
        }
        continue
      }
      const stop = stopIn(chunk, index)
      if (stop < chunk.length && chunk[stop] !== quote) return "not_json"
      if (string === "data") {
        data(chunk.subarray(passedOn, stop))
        passedOn = stop
      } else if (string === "key" && pendingBytes <= longestKey) {
        hold(chunk.subarray(index, stop))
      }
      if (stop < chunk.length) end()
      index = stop
    }
    if (passedOn < chunk.length) sink.onText(chunk.subarray(passedOn))
    return null
  }
}

/** A key that is not a valid string matches nothing. The parser reports it later. */
const decode = (raw: Buffer): string => {
  if (!raw.includes(backslash)) return raw.toString()
  try {
    return String(JSON.parse(`"${raw.toString()}"`))
  } catch {
    return ""
  }
}

const space = 0x20
const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
