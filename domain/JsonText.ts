/**
 * Values that remember the JSON text from which they were parsed, so that they are passed on as they came: the order of members,
 * the digits of numbers (`18446744073709551615`, `1.10`) and the escapes of strings. Reading a value never changes what is passed
 * on. Only arrays and objects remember a text, because JavaScript has no place for one beside a number.
 */
import { isList, isObject, type Json, type JsonObject, stringify as canonical } from "./CanonicalJson.ts"

// oxlint-disable-next-line typescript/no-extraneous-class -- `Remembering` extends it to add its field to the value
class Existing {
  // oxlint-disable-next-line no-constructor-return -- the value is what is made
  constructor(value: object) {
    return value
  }
}

/**
 * The text of a value in a private field, which no other code can see: a constructor that returns an existing object adds the fields of
 * its class to it. A `WeakMap` does the same at seven times the cost: its entries burden the garbage collector.
 */
class Remembering extends Existing {
  #text: string

  private constructor(value: object, text: string) {
    super(value)
    this.#text = text
  }

  static set(value: object, text: string): void {
    const remembering = #text in value ? value : new Remembering(value, text)
    remembering.#text = text
  }

  static get(value: object): string | undefined {
    return #text in value ? value.#text : undefined
  }
}

const textOf = (value: object): string | undefined => Remembering.get(value)

/** A value with the text that it was parsed from. */
const remember = <A extends Json>(value: A, text: string): A => {
  if (typeof value === "object" && value !== null) Remembering.set(value, text)
  return value
}

/** As `JSON.parse`, including its `SyntaxError`. */
export const parse = (text: string): Json => remember(JSON.parse(text) as Json, text)

/** The text that the value came from, around new members too. Other values are written by `JSON.stringify`. */
export const write = (value: Json): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const known = textOf(value)
  if (known !== undefined) return known
  if (!remembersWithin(value)) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(write).join(",")}]`
  const members: Array<string> = []
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${write(member)}`)
  }
  return `{${members.join(",")}}`
}

const remembersWithin = (value: Json | undefined): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (textOf(value) !== undefined) return true
  if (isList(value)) return value.some(remembersWithin)
  for (const name in value) if (remembersWithin(value[name])) return true
  return false
}

/** The text on one line, for protocols of lines. Line ends stand only between the tokens of a JSON text. */
export const writeLine = (value: Json): string => oneLine(write(value))

/** A JSON text without its line ends. */
export const oneLine = (text: string): string =>
  text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]/g, "") : text

/** A member of an object, which remembers its part of the object's text; `undefined` without one. */
export const member = (value: Json | undefined, name: string): Json | undefined => {
  if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
  const found = value[name]
  if (typeof found !== "object" || found === null || textOf(found) !== undefined) return found
  const text = textOf(value)
  if (text === undefined) return found
  // As in `JSON.parse`, the last of several members with one name counts.
  const part = partsOf(text).findLast((part) => part.name === name)
  return part === undefined ? found : remember(found, part.value)
}

/** The member at the end of a path of names. */
export const memberAt = (value: Json | undefined, ...path: ReadonlyArray<string>): Json | undefined =>
  path.reduce(member, value)

/** The items of a list, which remember their parts of its text. */
export const items = (list: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  entries(list).map(({ value }) => value)

/** A value with its text. */
export interface Spelled {
  /** Remembers its text, if it can. */
  readonly value: Json
  /** The text of a value that cannot remember it. `null`: it can, or no text is known. */
  readonly scalar: string | null
}

/** A member of an object, or an item of a list. */
export interface Entry extends Spelled {
  /** The index of an item. */
  readonly name: string
}

/** The value that was parsed from the text. */
export const spelled = (value: Json, text: string): Spelled => ({
  value,
  scalar: typeof value === "object" && value !== null ? null : text.trim()
})

/** As `member`, with the text of a scalar. */
export const spelledMember = (value: Json | undefined, name: string): Spelled | undefined => {
  const found = member(value, name)
  if (found === undefined) return undefined
  const text = typeof found === "object" && found !== null ? undefined : textOf(value as JsonObject)
  const part = text === undefined ? undefined : partsOf(text).findLast((part) => part.name === name)
  return { value: found, scalar: part?.value ?? null }
}

/** An object that remembers the texts of its members. The last of several with one name counts. */
export const objectOf = (members: ReadonlyArray<Entry>): JsonObject => {
  const object = Object.fromEntries(members.map(({ name, value }) => [name, value]))
  if (members.every(({ scalar }) => scalar === null)) return object
  const texts = new Map(members.map(({ name, scalar, value }) => [name, scalar ?? write(value)]))
  return remember(
    object,
    `{${Array.from(texts, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`
  )
}

/** A list that remembers the texts of its items. */
export const listOf = (spelledItems: ReadonlyArray<Spelled>): ReadonlyArray<Json> => {
  const values = spelledItems.map(({ value }) => value)
  if (spelledItems.every(({ scalar }) => scalar === null)) return values
  return remember(values, `[${spelledItems.map(({ scalar, value }) => scalar ?? write(value)).join(",")}]`)
}

/** In the order of the text. */
export const entries = (of: JsonObject | ReadonlyArray<Json>): ReadonlyArray<Entry> => {
  const text = textOf(of)
  if (text === undefined) return Object.entries(of).map(([name, value]) => ({ name, value, scalar: null }))
  const parts = isList(of)
    ? itemsOf(text).map((part, index) => [String(index), part] as const)
    : partsOf(text).map(({ name, value }) => [name, value] as const)
  // As in `JSON.parse`, the last of several members with one name counts.
  return Array.from(new Map(parts), ([name, part]): Entry => {
    const value = (isList(of) ? of[Number(name)] : of[name]) ?? null
    if (typeof value !== "object" || value === null) return { name, value, scalar: part }
    return { name, value: textOf(value) === undefined ? remember(value, part) : value, scalar: null }
  })
}

/** The text on several lines, for people. Scalars keep their digits and escapes, members their order. */
export const indented = (value: Json, indent = ""): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const [begin, end] = isList(value) ? ["[", "]"] : ["{", "}"]
  const deeper = `${indent}  `
  const parts = entries(value as JsonObject | ReadonlyArray<Json>).map(({ name, scalar, value: part }) => {
    const label = isList(value) ? "" : `${JSON.stringify(name)}: `
    return `${deeper}${label}${scalar ?? indented(part, deeper)}`
  })
  return parts.length === 0 ? begin + end : `${begin}\n${parts.join(",\n")}\n${indent}${end}`
}

/**
 * The object without the members in `omit`, and with those in `set`, which replace members of the same name in their place or
 * follow the others. What is left keeps its text.
 */
export const edit = (
  object: JsonObject,
  { omit = [], set = {} }: { readonly omit?: ReadonlyArray<string>; readonly set?: JsonObject }
): JsonObject => {
  if (!omit.some((name) => Object.hasOwn(object, name)) && Object.keys(set).length === 0) return object
  const edited: Record<string, Json> = { ...object, ...set }
  for (const name of omit) if (!Object.hasOwn(set, name)) delete edited[name]
  const text = textOf(object)
  if (text === undefined) return edited
  const left = new Map(Object.entries(set))
  const members = partsOf(text).flatMap((part) => {
    const replaced = left.get(part.name)
    if (replaced !== undefined) {
      left.delete(part.name)
      return [`${part.written}:${write(replaced)}`]
    }
    return omit.includes(part.name) || Object.hasOwn(set, part.name) ? [] : [`${part.written}:${part.value}`]
  })
  for (const [name, value] of left) members.push(`${JSON.stringify(name)}:${write(value)}`)
  return remember(edited, `{${members.join(",")}}`)
}

interface Part {
  /** Without quotes and escapes. */
  readonly name: string
  /** With both. */
  readonly written: string
  /** The text of the value. */
  readonly value: string
}

/** The members of an object's text. */
const partsOf = (text: string): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  visitMembers(text, (at, nameEnd, start, end) => {
    const written = text.slice(at, nameEnd)
    parts.push({ name: nameOf(written), written, value: text.slice(start, end) })
  })
  return parts
}

/** The name of a member is at `nameStart` up to before `nameEnd`, with its quotes, and its value at `start` up to before `end`. */
type VisitMember = (nameStart: number, nameEnd: number, start: number, end: number) => void

/** Calls `visit` for each member of an object's text. Returns false for a text that is no object. Values are not checked. */
export const visitMembers = (text: string, visit: VisitMember): boolean => {
  let at = skipSpace(text, 0)
  if (text.charCodeAt(at) !== openBrace) return false
  at = skipSpace(text, at + 1)
  if (text.charCodeAt(at) === closeBrace) return skipSpace(text, at + 1) === text.length
  while (text.charCodeAt(at) === quote) {
    const nameStart = at
    const nameEnd = endOfString(text, at + 1) + 1
    at = skipSpace(text, nameEnd)
    if (text.charCodeAt(at) !== colon) return false
    const start = skipSpace(text, at + 1)
    const end = endOfValue(text, start)
    visit(nameStart, nameEnd, start, end)
    at = skipSpace(text, end)
    if (text.charCodeAt(at) === closeBrace) return skipSpace(text, at + 1) === text.length
    if (text.charCodeAt(at) !== comma) return false
    at = skipSpace(text, at + 1)
  }
  return false
}

/** The items of a list's text. */
const itemsOf = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let at = skipSpace(text, skipSpace(text, 0) + 1)
  while (at < text.length && text.charCodeAt(at) !== closeBracket) {
    const end = endOfValue(text, at)
    found.push(text.slice(at, end))
    at = skipSpace(text, skipSpace(text, end) + 1)
  }
  return found
}

const nameOf = (written: string): string =>
  written.includes("\\") ? (JSON.parse(written) as string) : written.slice(1, -1)

/** Where something is in a value: names of members and indices of items. */
export type Path = ReadonlyArray<string | number>

/** The path of the first member that repeats a name of its object; `null` without one. */
export const repeatedName = (text: string): Path | null => {
  let found: Path | null = null
  walk(text, {
    onMember: (path, isRepeated) => {
      if (isRepeated) found = [...path]
      return found === null
    }
  })
  return found
}

/** An integer that a double cannot be trusted to hold: one past 2^53 - 1. */
export interface LongInteger {
  readonly path: Path
  /** Its digits. */
  readonly text: string
}

/** Digits after which no text is a safe integer. */
const longestInteger = 32

/** Whether the text may have such integers, for a check that costs little. */
const mayHaveLongIntegers = (text: string): boolean => /[0-9]{16}/.test(text)

/** The integers of the value's text that JavaScript cannot hold. */
export const longIntegers = (value: Json): ReadonlyArray<LongInteger> => {
  const text = typeof value === "object" && value !== null ? textOf(value) : undefined
  if (text === undefined || !mayHaveLongIntegers(text)) return []
  const found: Array<LongInteger> = []
  walk(text, {
    onScalar: (path, start, end) => {
      const number = text.slice(start, Math.min(end, start + longestInteger))
      if (/^-?[0-9]+$/.test(number) && !Number.isSafeInteger(Number(number)))
        found.push({ path: [...path], text: text.slice(start, end) })
    }
  })
  return found
}

/** Those of `integers` that an expression would return with other digits, because it computes with doubles. */
export const changedIn = (integers: ReadonlyArray<LongInteger>, result: Json): ReadonlyArray<LongInteger> => {
  if (integers.length === 0) return integers
  const numbers = new Set<number>()
  const texts: Array<string> = []
  const visit = (value: Json): void => {
    if (typeof value === "number") numbers.add(value)
    else if (typeof value === "string") texts.push(value)
    else if (value !== null && typeof value === "object") Object.values(value).forEach(visit)
  }
  visit(result)
  return integers.filter(({ text }) => {
    const rounded = Number(text)
    return numbers.has(rounded) || texts.some((one) => one.includes(String(rounded)))
  })
}

/**
 * The value with the digits of `integers` where it has them rounded, for a value that was composed of parts which had them. Of several
 * that round to the same number, the last one counts.
 */
export const restore = (value: Json, integers: ReadonlyArray<LongInteger>): Json => {
  if (integers.length === 0) return value
  const digits = new Map(integers.map(({ text }) => [JSON.stringify(Number(text)), text]))
  return spliced(write(value), (_path, scalar) => digits.get(scalar)) ?? value
}

/** The value of a text in which some scalars are written in another way; `null` if none are. */
const spliced = (text: string, written: (path: Path, scalar: string) => string | undefined): Json | null => {
  let whole = ""
  let from = 0
  walk(text, {
    onScalar: (path, start, end) => {
      const other = written(path, text.slice(start, end))
      if (other === undefined) return
      whole += text.slice(from, start) + other
      from = end
    }
  })
  return from === 0 ? null : parse(whole + text.slice(from))
}

/** Equal for values of equal content, whatever the order of members, blanks and escapes of their texts. */
export const content = (value: Json): string => {
  const integers = longIntegers(value).map(({ path, text }) => `${pointerOf(path)} ${text}`)
  return [canonical(value), ...integers.sort()].join("\n")
}

/** The value with other scalars in the places of `replaced`, by JSON pointer (RFC 6901). Everything else keeps its text. */
export const replaceScalars = (value: Json, replaced: ReadonlyMap<string, Json>): Json => {
  const textAt = (path: Path): string | undefined => {
    const scalar = replaced.get(pointerOf(path))
    return scalar === undefined ? undefined : JSON.stringify(scalar)
  }
  return spliced(write(value), textAt) ?? value
}

/** A JSON pointer (RFC 6901). */
export const pointerOf = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

interface Visitor {
  /** `false` ends the walk. */
  readonly onMember?: (path: Path, isRepeated: boolean) => boolean
  readonly onScalar?: (path: Path, start: number, end: number) => void
}

/** Visits members and scalars in the order of the text. The depth is that of texts which `JsonBytes` accepts. */
const walk = (text: string, { onMember, onScalar }: Visitor): void => {
  const path: Array<string | number> = []
  let isOver = false

  const object = (from: number): number => {
    const names = new Set<string>()
    let at = skipSpace(text, from + 1)
    while (!isOver && text.charCodeAt(at) === quote) {
      const nameEnd = endOfString(text, at + 1) + 1
      const name = nameOf(text.slice(at, nameEnd))
      path.push(name)
      isOver = onMember?.(path, names.has(name)) === false
      names.add(name)
      at = next(value(skipSpace(text, skipSpace(text, nameEnd) + 1)))
      path.pop()
    }
    return at + 1
  }

  const list = (from: number): number => {
    let at = skipSpace(text, from + 1)
    for (let index = 0; !isOver && at < text.length && text.charCodeAt(at) !== closeBracket; index++) {
      path.push(index)
      at = next(value(at))
      path.pop()
    }
    return at + 1
  }

  /** Past the comma after a value, or at the closing bracket. */
  const next = (from: number): number => {
    const at = skipSpace(text, from)
    return text.charCodeAt(at) === comma ? skipSpace(text, at + 1) : at
  }

  const value = (from: number): number => {
    const first = text.charCodeAt(from)
    if (first === openBrace) return object(from)
    if (first === openBracket) return list(from)
    const end = endOfValue(text, from)
    onScalar?.(path, from, end)
    return end
  }

  value(skipSpace(text, 0))
}

const skipSpace = (text: string, from: number): number => {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** The closing quote of the string around `from`. */
const endOfString = (text: string, from: number): number => {
  let at = text.indexOf('"', from)
  while (at !== -1) {
    let before = at
    while (text.charCodeAt(before - 1) === backslash) before--
    if ((at - before) % 2 === 0) return at
    at = text.indexOf('"', at + 1)
  }
  return text.length
}

/** Behind the value at `start`. */
const endOfValue = (text: string, start: number): number => {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at + 1)
        if (depth === 0) return at + 1
        break
      case openBrace:
      case openBracket:
        depth++
        break
      case closeBrace:
      case closeBracket:
        // Of the container, after a number or a word.
        if (depth === 0) return at
        depth--
        if (depth === 0) return at + 1
        break
      case comma:
      case space:
      case lineFeed:
      case carriageReturn:
      case tab:
        if (depth === 0) return at
        break
    }
  }
  return text.length
}

const tab = 0x09
const lineFeed = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
