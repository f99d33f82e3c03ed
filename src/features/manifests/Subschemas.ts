/** The schemas within a JSON Schema (2020-12 and keywords of earlier drafts), each with its place. */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { Path } from "./Diagnostic.ts"

export interface Subschema {
  readonly path: Path
  readonly schema: JsonObject
}

/** Keywords whose members are named schemas. */
const byName: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties"
])

/** Keywords whose values are data, even if they look like schemas. */
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

/** Including the schema itself. */
export const all = (root: Subschema): ReadonlyArray<Subschema> => {
  const found: Array<Subschema> = []
  const open = [root]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next)
    for (const inner of within(next)) open.push(inner)
  }
  return found
}
