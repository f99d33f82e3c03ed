/** What a manifest file holds, as YAML or as JSON: values with the places where they stand. */
import { Predicate } from "effect"
import type { LineCounter } from "yaml"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Located from "./Located.ts"
import type { Path, Location } from "./Problem.ts"

export interface ManifestDocument {
  readonly value: Json
  /** Of the value at the path, or of what is nearest above it: of the name of a field where there is one. */
  placeOf(path: Path): Location
}

export interface Fault {
  readonly place: Location
  readonly path: Path
  readonly message: string
}

export interface Parsed {
  /** Those without a fault; empty ones are left out. */
  readonly documents: ReadonlyArray<ManifestDocument>
  readonly faults: ReadonlyArray<Fault>
}

export const make = (root: Located.Located, lines: LineCounter): ManifestDocument => ({
  value: root.value,
  placeOf: (path) => Located.placeIn(lines, Located.find(root, path).at)
})

/** Of what a reader has thrown. */
export const faultOf = (cause: unknown, lines: LineCounter): Fault => {
  if (cause instanceof Located.Refused) {
    const { at, message, path } = cause
    return { place: Located.placeIn(lines, at), path, message }
  }
  const isDeep = Predicate.isError(cause) && cause.message.startsWith("Maximum call stack")
  return { place: { line: 1, column: 1 }, path: [], message: isDeep ? Located.tooDeep : "It cannot be read" }
}
