/** What a client could not send, or not safely, though the schema of the input says so. */
import safeRegex from "safe-regex2"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { Draft } from "./Drafts.ts"
import type { Path, Problem } from "./Problem.ts"

export interface Inputs {
  readonly inputSchema: JsonObject
  readonly exampleInput: Json
}

/** Taken out of the body before the model sees it (contract, "Submit rules"). */
const reserved = ["webhook", "webhook_events_filter"]

/** Patterns that are looked at: a schema has some. */
const mostPatterns = 1_000

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

interface Pattern {
  readonly path: Path
  readonly text: string
}

/** Wherever they are; a property that is named `pattern` is a schema, and no text. */
const patternsOf = (schema: JsonObject): ReadonlyArray<Pattern> => {
  const found: Array<Pattern> = []
  const open: Array<{ readonly path: Path; readonly node: Json }> = [{ path: ["inputSchema"], node: schema }]
  for (let next = open.pop(); next !== undefined && found.length < mostPatterns; next = open.pop()) {
    const { node, path } = next
    if (node === null || typeof node !== "object") continue
    for (const [name, member] of Object.entries(node)) {
      const at = [...path, Array.isArray(node) ? Number(name) : name]
      if (name === "pattern" && typeof member === "string") found.push({ path: at, text: member })
      if (name === "patternProperties" && isObject(member)) {
        for (const text of Object.keys(member)) found.push({ path: [...at, text], text })
      }
      open.push({ path: at, node: member })
    }
  }
  return found
}

const slowPatterns = (draft: Draft, schema: JsonObject): ReadonlyArray<Problem> =>
  patternsOf(schema)
    .filter(({ text }) => !safeRegex(text))
    .map(({ path }) =>
      draft.problem(
        "warning",
        path,
        "A repetition within a repetition: a text that is made for it may keep the server busy for long"
      )
    )

export const problems = (draft: Draft, { exampleInput, inputSchema }: Inputs): ReadonlyArray<Problem> => {
  const { properties } = inputSchema
  return [
    ...(isObject(exampleInput)
      ? []
      : [draft.problem("error", ["exampleInput"], "Expected an object: what is submitted is always one")]),
    ...reserved
      .filter((name) => isObject(properties) && Object.hasOwn(properties, name))
      .map((name) =>
        draft.problem(
          "error",
          ["inputSchema", "properties", name],
          "Expected another name: it never reaches the model, for it is of the request"
        )
      ),
    ...slowPatterns(draft, inputSchema)
  ]
}
