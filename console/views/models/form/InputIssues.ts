/** What is wrong with an input under its model's schema: each issue at the field where it can be put right. */
import { type OutputUnit, type Schema as ValidatorSchema, Validator } from "@cfworker/json-schema"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import { isRecord } from "#console/views/result/JsonShape.ts"
import * as IssueText from "./IssueText.ts"

export type Path = ReadonlyArray<string | number>

export interface InputIssue {
  readonly path: Path
  readonly message: string
}

/** Their own errors stand beside those of what they contain. */
const containers = new Set([
  "$ref",
  "$recursiveRef",
  "properties",
  "patternProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "dependentSchemas"
])

/** A validator without `eval`, which the policy forbids; made once for a schema. */
const validators = new WeakMap<object, Validator>()

export const validatorOf = (schema: JsonObject): Validator => {
  const made = validators.get(schema)
  if (made !== undefined) return made
  // A copy: the validator marks the schema's objects.
  const copy: ValidatorSchema = structuredClone(schema)
  const validator = new Validator(copy, "2020-12", false)
  validators.set(schema, validator)
  return validator
}

/** A reference need not be encoded well. */
const decoded = (segment: string): string => {
  try {
    return decodeURI(segment)
  } catch {
    return segment
  }
}

const unescaped = (segment: string) => decoded(segment).replaceAll("~1", "/").replaceAll("~0", "~")

const segmentsOf = (pointer: string): ReadonlyArray<string> => pointer.split("/").slice(1).map(unescaped)

/** Indexes of lists as numbers. */
const pathOf = (value: Json, pointer: string): Path => {
  const path: Array<string | number> = []
  let at: unknown = value
  for (const segment of segmentsOf(pointer)) {
    const key = Array.isArray(at) ? Number(segment) : segment
    path.push(key)
    at = typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined
  }
  return path
}

/** The value of the keyword that was broken; references are followed. */
const keywordValue = (root: JsonObject, location: string): Json | undefined => {
  let at: Json | undefined = root
  for (const segment of segmentsOf(location)) {
    if (segment === "$ref" && isRecord(at) && typeof at["$ref"] === "string") at = referred(root, at["$ref"])
    else at = Array.isArray(at) ? at[Number(segment)] : isRecord(at) ? at[segment] : undefined
  }
  return at
}

/** What a reference within the schema leads to. */
export const referred = (root: JsonObject, reference: string): Json | undefined =>
  reference === "#" ? root : reference.startsWith("#/") ? keywordValue(root, reference.slice(1)) : undefined

/** The errors of the alternative that comes closest: the first with the fewest errors whose type fits. */
const ofClosest = (location: string, errors: ReadonlyArray<OutputUnit>): ReadonlyArray<OutputUnit> => {
  const branches = new Map<string, Array<OutputUnit>>()
  for (const error of errors) {
    const branch = error.keywordLocation.slice(location.length + 1).split("/", 1)[0] ?? ""
    branches.set(branch, [...(branches.get(branch) ?? []), error])
  }
  const misfit = (branch: string, units: ReadonlyArray<OutputUnit>) =>
    units.some(
      ({ keyword, keywordLocation }) => keyword === "type" && keywordLocation === `${location}/${branch}/type`
    )
  const ranked = [...branches].toSorted(
    ([a, left], [b, right]) =>
      Number(misfit(a, left)) - Number(misfit(b, right)) || left.length - right.length
  )
  return ranked[0]?.[1] ?? []
}

/** Keeps of each failed choice between alternatives the errors of one. */
const withoutAlternatives = (errors: ReadonlyArray<OutputUnit>): ReadonlyArray<OutputUnit> => {
  const [first, ...rest] = errors
  if (first === undefined) return []
  if (first.keyword !== "anyOf" && first.keyword !== "oneOf") return [first, ...withoutAlternatives(rest)]
  const isInside = ({ keywordLocation }: OutputUnit) =>
    keywordLocation.startsWith(`${first.keywordLocation}/`)
  const end = rest.findIndex((error) => !isInside(error))
  const inside = end === -1 ? rest : rest.slice(0, end)
  const after = end === -1 ? [] : rest.slice(end)
  const closest = ofClosest(first.keywordLocation, inside)
  return [...(closest.length === 0 ? [first] : withoutAlternatives(closest)), ...withoutAlternatives(after)]
}

const quoted = (text: string): string | null => /"(.*)"/s.exec(text)?.[1] ?? null

/** Whether nothing below it says more. Alternatives remain when several of them match. */
const isOwn = ({ error, keyword }: OutputUnit): boolean =>
  !containers.has(keyword) || (keyword === "oneOf" && error.includes("exactly one"))

const issueOf = (schema: JsonObject, input: Json, unit: OutputUnit): InputIssue | null => {
  const { error, instanceLocation, keyword, keywordLocation } = unit
  const path = pathOf(input, instanceLocation)
  if (keyword === "required") {
    const name = quoted(error)
    return { path: name === null ? path : [...path, name], message: IssueText.required }
  }
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") {
    const name = quoted(error)
    return keywordValue(schema, keywordLocation) === false && name !== null
      ? { path: [...path, name], message: IssueText.unknownField }
      : null
  }
  // The error of the name or the field says it.
  if (keyword === "false") return null
  return { path, message: IssueText.of(keyword, keywordValue(schema, keywordLocation)) }
}

/** `null` if the schema cannot be used here, for example because it refers to another document: the server judges. */
const unitsOf = (schema: JsonObject, input: Json): ReadonlyArray<OutputUnit> | null => {
  try {
    return validatorOf(schema).validate(input).errors
  } catch {
    return null
  }
}

/** In the order of the schema, one for each field. */
export const of = (schema: JsonObject, input: Json): ReadonlyArray<InputIssue> => {
  const units = withoutAlternatives(unitsOf(schema, input) ?? []).filter(isOwn)
  const issues = new Map<string, InputIssue>()
  for (const unit of units) {
    const issue = issueOf(schema, input, unit)
    if (issue !== null && !issues.has(JSON.stringify(issue.path)))
      issues.set(JSON.stringify(issue.path), issue)
  }
  return [...issues.values()]
}
