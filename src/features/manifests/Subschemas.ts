/** The schemas within a JSON Schema (2020-12, with what earlier drafts have), each where it stands: no data, and no names. */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { Path } from "./Problem.ts"

export interface Subschema {
  readonly path: Path
  readonly schema: JsonObject
}

/** Their members are names of somebody's choice, and schemas. */
const byName: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties"
])

/** Whatever looks like a schema in them is none. */
const data: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"])

const membersOf = (value: Json, path: Path): ReadonlyArray<Subschema> => {
  if (isObject(value)) return [{ path, schema: value }]
  if (!Array.isArray(value)) return []
  return value.flatMap((item: Json, index) =>
    isObject(item) ? [{ path: [...path, index], schema: item }] : []
  )
}

const within = ({ path, schema }: Subschema): ReadonlyArray<Subschema> =>
  Object.entries(schema).flatMap(([keyword, value]) => {
    if (data.has(keyword)) return []
    const at = [...path, keyword]
    if (!byName.has(keyword) || !isObject(value)) return membersOf(value, at)
    return Object.entries(value).flatMap(([name, member]) => membersOf(member, [...at, name]))
  })

/** The schema itself, too. */
export const all = (root: Subschema): ReadonlyArray<Subschema> => {
  const found: Array<Subschema> = []
  const open = [root]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next)
    for (const inner of within(next)) open.push(inner)
  }
  return found
}
