/**
 * YAML 1.2 (https://yaml.org/spec/1.2.2), core schema, and JSON, which is part of it: to JSON values, with the places where
 * they stand. Safe for what anybody wrote: no tags of its own, aliases bounded, nothing but JSON comes out.
 */
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseAllDocuments } from "yaml"
import type { Document } from "yaml"
import { Predicate } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Path, Place } from "./Problem.ts"

export interface ManifestDocument {
  readonly value: Json
  /** Of the value at the path, or of what is nearest above it: of the name of a field where there is one. */
  placeOf(path: Path): Place
}

export interface Fault {
  readonly place: Place
  readonly path: Path
  readonly message: string
}

export interface Parsed {
  /** Those without a fault; empty ones are left out. */
  readonly documents: ReadonlyArray<ManifestDocument>
  readonly faults: ReadonlyArray<Fault>
}

const mostAliases = 100
const deepest = 64
const tooDeep = `Expected at most ${deepest} levels`

/** What follows is mostly what the first ones have led to. */
const mostFaults = 5

/** The first value that JSON does not have; `null` when there is none. */
const notJson = (value: unknown, path: Path): Omit<Fault, "place"> | null => {
  if (path.length > deepest) return { path: path.slice(0, 8), message: tooDeep }
  if (value === null || typeof value === "string" || typeof value === "boolean") return null
  if (typeof value === "number") {
    return Number.isFinite(value) ? null : { path, message: "Expected a number that JSON has" }
  }
  if (typeof value !== "object") return { path, message: "Expected a value that JSON has" }
  const members = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [step, member] of members) {
    const found = notJson(member, [...path, step])
    if (found !== null) return found
  }
  return null
}

/** Shown by `notJson`. */
const isJson = (_value: unknown, found: object | null): _value is Json => found === null

const start = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined)

const placesIn =
  (document: Document, lines: LineCounter): ManifestDocument["placeOf"] =>
  (path) => {
    let node: unknown = document.contents
    let at = start(node) ?? 0
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(document)
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
        if (pair === undefined) break
        at = start(pair.key) ?? at
        node = pair.value
      } else if (isSeq(node)) {
        node = node.items[Number(step)]
        at = start(node) ?? at
      } else break
    }
    const { col, line } = lines.linePos(at)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }

/** The parser's words without the place, which is told beside them, and without the lines that it quotes. */
const wordsOf = (message: string): string =>
  message.startsWith("Maximum call stack")
    ? tooDeep
    : (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "")

const top: Place = { line: 1, column: 1 }

const ofDocument = (document: Document, lines: LineCounter): ManifestDocument | ReadonlyArray<Fault> => {
  const placeOf = placesIn(document, lines)
  const found = [...document.errors, ...document.warnings].slice(0, mostFaults).map(({ message, pos }) => {
    const { col, line } = lines.linePos(pos[0])
    return { place: { line, column: col }, path: [], message: wordsOf(message) }
  })
  if (found.length > 0) return found
  try {
    const value: unknown = document.toJS({ maxAliasCount: mostAliases })
    const wrong = notJson(value, [])
    if (isJson(value, wrong)) return { value, placeOf }
    return wrong === null ? [] : [{ ...wrong, place: placeOf(wrong.path) }]
  } catch (cause) {
    return [
      {
        place: placeOf([]),
        path: [],
        message: Predicate.isError(cause) ? wordsOf(cause.message) : "Expected YAML"
      }
    ]
  }
}

export const parse = (text: string): Parsed => {
  const lines = new LineCounter()
  const documents: Array<ManifestDocument> = []
  const faults: Array<Fault> = []
  try {
    const options = { lineCounter: lines, stringKeys: true, merge: false, logLevel: "silent" } as const
    for (const document of parseAllDocuments(text, options)) {
      if (document.contents === null && document.errors.length === 0) continue
      const read = ofDocument(document, lines)
      if ("placeOf" in read) documents.push(read)
      else faults.push(...read)
    }
  } catch (cause) {
    faults.push({
      place: top,
      path: [],
      message: Predicate.isError(cause) ? wordsOf(cause.message) : "Expected YAML"
    })
  }
  return { documents, faults: faults.slice(0, mostFaults) }
}
