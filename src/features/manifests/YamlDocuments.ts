/** YAML 1.2, core schema (https://yaml.org/spec/1.2.2): JSON values with their positions, within a second for 1 MB. */
import { Composer, type Document, Lexer, type LineCounter, Parser } from "yaml"
import * as Located from "./Located.ts"
import { type DocumentError, errorOf, make, type ManifestDocument, type Parsed } from "./ManifestDocument.ts"
import * as YamlValues from "./YamlValues.ts"

/** Most further errors follow from the first ones. */
const mostFaults = 5

/** Names, marks, texts and spaces: `key: value` and its line end are seven. */
const mostTokens = 200_000

const mostDocuments = 1_000

const options = {
  stringKeys: true,
  merge: false,
  logLevel: "silent",
  resolveKnownTags: false,
  // The parser compares every key with every other, and so does `YamlValues`.
  uniqueKeys: false,
  // Each message would copy its line.
  prettyErrors: false
} as const

class TooManyFaults extends Error {}

/** Stops at the first few errors, because one text can have half a million. */
const composer = (): Composer => {
  const composer = new Composer(options)
  const report: (...told: ReadonlyArray<unknown>) => void = composer["onError"]
  let reported = 0
  composer["onError"] = (...told: ReadonlyArray<unknown>) => {
    reported += 1
    if (reported > mostFaults) throw new TooManyFaults()
    report(...told)
  }
  return composer
}

/** Adds to `documents`, so that those before a thrown fault remain. */
const compose = (text: string, composer: Composer, documents: Array<Document>): void => {
  const parser = new Parser()
  let tokens = 0
  let wrong = 0
  const take = (part: ReturnType<Parser["next"]>): void => {
    for (const token of part) {
      if (token.type === "error") wrong += 1
      documents.push(...composer.next(token))
      if (wrong > mostFaults) throw new TooManyFaults()
      if (documents.length >= mostDocuments) {
        throw new Located.Refused(`Expected at most ${mostDocuments} documents in a file`, parser.offset)
      }
    }
  }
  for (const lexeme of new Lexer().lex(text)) {
    tokens += 1
    if (tokens > mostTokens) {
      throw new Located.Refused(`Expected at most ${mostTokens} tokens of YAML in a file`, parser.offset)
    }
    take(parser.next(lexeme))
  }
  take(parser.end())
  documents.push(...composer.end())
}

const wordsOf = (message: string): string =>
  message.startsWith("Maximum call stack") ? Located.tooDeep : (message.split("\n")[0] ?? "").slice(0, 200)

const faultsOf = (
  { errors, warnings }: Pick<Document, "errors" | "warnings">,
  lines: LineCounter
): ReadonlyArray<DocumentError> =>
  [...errors, ...warnings].slice(0, mostFaults).map(({ message, pos: [at] }) => ({
    place: Located.placeIn(lines, at),
    path: [],
    message: wordsOf(message)
  }))

export const parse = (text: string): Parsed => {
  const lines = Located.linesOf(text)
  const budget = new Located.Budget()
  const composing = composer()
  const read: Array<Document> = []
  const documents: Array<ManifestDocument> = []
  const errors: Array<DocumentError> = []
  try {
    compose(text, composing, read)
  } catch (cause) {
    read.push(...composing.end())
    errors.push(
      ...(cause instanceof TooManyFaults ? faultsOf(composing.streamInfo(), lines) : [errorOf(cause, lines)])
    )
  }
  for (const document of read) {
    const reported = faultsOf(document, lines)
    errors.push(...reported)
    if (document.contents === null || reported.length > 0) continue
    try {
      documents.push(make(YamlValues.read(document, budget), lines))
    } catch (cause) {
      errors.push(errorOf(cause, lines))
    }
  }
  return { documents, errors: errors.slice(0, mostFaults) }
}
