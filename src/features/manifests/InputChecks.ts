/** Finds what clients could not send, or not safely, although the input schema allows it. */
import safeRegex from "safe-regex2"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { Draft } from "./Drafts.ts"
import type { Path, Diagnostic } from "./Diagnostic.ts"
import * as Subschemas from "./Subschemas.ts"

export interface Inputs {
  readonly inputSchema: JsonObject
  readonly exampleInput: Json
}

/** Removed from the body before the model sees it (contract, "Submit rules"). */
const reserved = ["webhook", "webhook_events_filter"]

/** The most patterns checked in a schema. */
const mostPatterns = 1_000

interface Pattern {
  readonly path: Path
  readonly text: string
}

const patternsOf = ({ path, schema }: Subschemas.Subschema): ReadonlyArray<Pattern> => {
  const { pattern, patternProperties } = schema
  return [
    ...(typeof pattern === "string" ? [{ path: [...path, "pattern"], text: pattern }] : []),
    ...(isObject(patternProperties)
      ? Object.keys(patternProperties).map((text) => ({ path: [...path, "patternProperties", text], text }))
      : [])
  ]
}

const slowPatterns = (
  draft: Draft,
  schemas: ReadonlyArray<Subschemas.Subschema>
): ReadonlyArray<Diagnostic> =>
  schemas
    .flatMap(patternsOf)
    .slice(0, mostPatterns)
    .filter(({ text }) => !safeRegex(text))
    .map(({ path }) =>
      draft.diagnostic(
        "warning",
        path,
        "A repetition within a repetition: a text that is made for it may keep the server busy for long"
      )
    )

/** The most items compared in pairs: some milliseconds. */
const mostCompared = 1_000

const scalars: ReadonlySet<Json> = new Set(["boolean", "integer", "null", "number", "string"])

/** The validator looks these up; it compares all other values in pairs. */
const hasScalars = ({ items }: JsonObject): boolean => {
  if (!isObject(items)) return false
  const { type } = items
  return Array.isArray(type)
    ? type.length > 0 && type.every((one: Json) => scalars.has(one))
    : type !== undefined && scalars.has(type)
}

const slowComparisons = (
  draft: Draft,
  schemas: ReadonlyArray<Subschemas.Subschema>
): ReadonlyArray<Diagnostic> =>
  schemas
    .filter(({ schema }) => {
      const { maxItems, uniqueItems } = schema
      const isShort = typeof maxItems === "number" && maxItems <= mostCompared
      return uniqueItems === true && !isShort && !hasScalars(schema)
    })
    .map(({ path }) =>
      draft.diagnostic(
        "warning",
        [...path, "uniqueItems"],
        `Each item is compared with each other: expected maxItems of at most ${mostCompared}, or items of a scalar type`
      )
    )

export const diagnostics = (
  draft: Draft,
  { exampleInput, inputSchema }: Inputs
): ReadonlyArray<Diagnostic> => {
  const { properties } = inputSchema
  const schemas = Subschemas.all({ path: ["inputSchema"], schema: inputSchema })
  return [
    ...(isObject(exampleInput)
      ? []
      : [draft.diagnostic("error", ["exampleInput"], "Expected an object: what is submitted is always one")]),
    ...reserved
      .filter((name) => isObject(properties) && Object.hasOwn(properties, name))
      .map((name) =>
        draft.diagnostic(
          "error",
          ["inputSchema", "properties", name],
          "Expected another name: it never reaches the model, for it is of the request"
        )
      ),
    ...slowPatterns(draft, schemas),
    ...slowComparisons(draft, schemas)
  ]
}
