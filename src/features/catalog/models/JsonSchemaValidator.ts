/** JSON Schema 2020-12, compiled once per schema. Messages never quote a client; paths have shortened property names. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js"
import { Predicate, Result, Schema } from "effect"
import { isList, type Json } from "#domain/CanonicalJson.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Violation } from "#domain/Outcome.ts"
import { lazy } from "#src/kernel/async/Lazy.ts"
import type { InputIssue } from "./Catalog.ts"
import * as Formats from "./Formats.ts"

/** Not a strict JSON Schema 2020-12: an unknown keyword or format, a contradiction, a broken reference. */
export class InvalidJsonSchema extends Schema.TaggedError<InvalidJsonSchema>()("InvalidJsonSchema", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

export interface JsonSchemaValidator {
  /** Every breach, at most 1,000, as issues of a 400; only the first if the value is large or has very long names. */
  issues(value: Json): ReadonlyArray<InputIssue>
  /** The same breaches, as the violations of a 422. */
  violations(value: Json): ReadonlyArray<Violation>
}

/** For a schema from outside, which is validated itself. */
export const make = (schema: Model["inputSchema"]): Result.Result<JsonSchemaValidator, InvalidJsonSchema> =>
  Result.try({
    try: () => {
      void firstBreach.validateSchema(schema, true)
      return compiled(schema)
    },
    catch: (cause) =>
      new InvalidJsonSchema({ reason: Predicate.isError(cause) ? cause.message : String(cause) })
  })

/** For a schema of the program: compiled at its first use, to start sooner. Throws if it does not compile. */
export const ofProgram = (schema: Model["inputSchema"]): JsonSchemaValidator => {
  const validator = lazy(() => compiled(schema))
  return {
    issues: (value) => validator().issues(value),
    violations: (value) => validator().violations(value)
  }
}

const compiled = (schema: Model["inputSchema"]): JsonSchemaValidator => {
  const first = compile(firstBreach, schema)
  const breaches = breachesOf(
    first,
    lazy(() => compile(allBreaches, schema))
  )
  return {
    issues: (value) => breaches(value).map((breach) => issueOf(breach, value)),
    violations: (value) => breaches(value).map(violationOf)
  }
}

/** Most breaches in one answer (decisions, "Bodies"). */
const mostBreaches = 1_000

/** Ajv collects every breach with its pointer, so the size of the value is limited. */
const mostNodes = 50_000

/** Characters of a property name, pointer and message that are kept. */
const longestName = 64
const longestText = 1_024

const ajv = (allErrors: boolean) => {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    allErrors,
    validateSchema: false,
    logger: false
  })
  // Annotations of OpenAPI, where many schemas come from.
  ajv.addVocabulary(["example", "externalDocs", "xml", "discriminator"])
  Formats.addTo(ajv)
  return ajv
}
const firstBreach = ajv(false)
const allBreaches = ajv(true)

/** The compiler would keep each schema and refuse a second one with the same `$id`. */
const compile = (compiler: Ajv2020, schema: Model["inputSchema"]): ValidateFunction => {
  // An extension of Ajv that returns a promise, which would count as valid.
  if ("$async" in schema) throw new Error('unknown keyword: "$async"')
  try {
    return compiler.compile(schema)
  } finally {
    compiler.removeSchema(schema)
  }
}

/** A valid value costs only the faster check. */
const breachesOf =
  (first: ValidateFunction, all: () => ValidateFunction) =>
  (value: Json): ReadonlyArray<ErrorObject> => {
    if (first(value)) return []
    const validate = isSmall(value) ? all() : first
    validate(value)
    return (validate.errors ?? []).slice(0, mostBreaches)
  }

/** Whether a value has at most `mostNodes` nodes under repeatable names. */
const isSmall = (value: Json): boolean => {
  const open: Array<Json> = [value]
  let nodes = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    nodes += 1
    if (next === null || typeof next !== "object") continue
    if (!isList(next) && Object.keys(next).some((name) => name.length > longestText)) return false
    const members = isList(next) ? next : Object.values(next)
    if (nodes + open.length + members.length > mostNodes) return false
    for (const member of members) open.push(member)
  }
  return true
}

const issueOf = (breach: ErrorObject, value: Json): InputIssue => ({
  path: pathOf(breach, value),
  message: messageOf(breach),
  code: breach.keyword
})

const violationOf = (breach: ErrorObject): Violation => ({
  instancePath: breach.instancePath.slice(0, longestText),
  message: messageOf(breach)
})

const messageOf = (breach: ErrorObject): string => {
  const message = breach.message ?? "must be valid"
  const allowed: unknown = breach.params["allowedValues"]
  const text = Array.isArray(allowed)
    ? `${message}: ${allowed.map((v) => JSON.stringify(v)).join(", ")}`
    : message
  return text.slice(0, longestText)
}

/** The missing or forbidden property, if the breach is at its parent. */
const namedProperty = (breach: ErrorObject): unknown =>
  breach.params["missingProperty"] ??
  breach.params["additionalProperty"] ??
  breach.params["unevaluatedProperty"] ??
  breach.propertyName

const pathOf = (breach: ErrorObject, value: Json): InputIssue["path"] => {
  const path: Array<string | number> = []
  let at: unknown = value
  for (const segment of breach.instancePath.split("/").slice(1)) {
    const name = segment.replaceAll("~1", "/").replaceAll("~0", "~")
    path.push(Array.isArray(at) ? Number(name) : name.slice(0, longestName))
    at = Predicate.hasProperty(at, name) ? at[name] : undefined
  }
  const property = namedProperty(breach)
  return typeof property === "string" ? [...path, property.slice(0, longestName)] : path
}
