/** A document of a manifest file, YAML or JSON: values with their places. */
import { Predicate } from "effect"
import type { LineCounter } from "yaml"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as Located from "./Located.ts"
import type { Path, Location } from "./Diagnostic.ts"

export interface ManifestDocument {
  /** Remembers its text, with numbers as they are written. */
  readonly value: Json
  /** The place of the value at the path, or of its nearest ancestor: of a field's name if there is one. */
  placeOf(path: Path): Location
}

export interface DocumentError {
  readonly place: Location
  readonly path: Path
  readonly message: string
}

export interface Parsed {
  /** Documents without errors; empty ones are omitted. */
  readonly documents: ReadonlyArray<ManifestDocument>
  readonly errors: ReadonlyArray<DocumentError>
}

export const make = (root: Located.Located, lines: LineCounter): ManifestDocument => ({
  value: JsonText.parse(Located.textOf(root)),
  placeOf: (path) => Located.placeIn(lines, Located.find(root, path).at)
})

/** Turns what a parser throws into errors. */
export const errorOf = (cause: unknown, lines: LineCounter): DocumentError => {
  if (cause instanceof Located.Refused) {
    const { at, message, path } = cause
    return { place: Located.placeIn(lines, at), path, message }
  }
  const isDeep = Predicate.isError(cause) && cause.message.startsWith("Maximum call stack")
  return { place: { line: 1, column: 1 }, path: [], message: isDeep ? Located.tooDeep : "It cannot be read" }
}
