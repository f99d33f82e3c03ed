/** A JSON request body, declared once: its schema gives the OpenAPI text, the check with its issues, and the type. */
import { Effect, type JsonSchema, Predicate, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"
import { lazy } from "#src/kernel/async/Lazy.ts"
import * as BodyReader from "../edge/BodyReader.ts"
import * as ErrorAnswer from "../ErrorAnswer.ts"
import * as JsonObjectBody from "./JsonObjectBody.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"
import type { Parsed } from "./Parsed.ts"

/** Annotates a schema that refuses undeclared fields. */
export const closed = "x-closed"

export interface RequestBody<S extends Schema.Top> {
  /** For the `payload` of an endpoint. */
  readonly schema: S
  /** Every breach as an issue of a 400, with the codes and messages of Ajv. */
  readonly check: (body: JsonObject) => Parsed<S["Type"]>
}

/** Messages for fields that break their pattern, by field name, because a pattern says little to people. */
export type Patterns = Readonly<Record<string, Pick<Issue, "code" | "message">>>

/** A body whose undeclared fields are ignored. Its schema must not transform: the handler gets the value itself. */
export const open = <S extends Schema.Top>(schema: S, patterns: Patterns = {}): RequestBody<S> => {
  const check = checkOf(schema, "ignore")
  return { schema, check: (body) => Result.mapError(check(body), (issues) => reported(issues, patterns)) }
}

/** A value that also breaks its length gets only the issue of the length. */
const reported = (issues: ReadonlyArray<Issue>, patterns: Patterns): ReadonlyArray<Issue> =>
  issues.flatMap((issue) => {
    const pattern = issue.code === "pattern" ? patterns[String(issue.path[0])] : undefined
    if (pattern === undefined) return [issue]
    const isAlone = issues.every((other) => other === issue || other.path[0] !== issue.path[0])
    return isAlone ? [{ ...issue, ...pattern }] : []
  })

/** A body whose undeclared fields are refused, because they may be misspelled. */
export const strict = <S extends Schema.Top>(schema: S): RequestBody<S["Rebuild"]> => {
  const marked = schema.annotate({ [closed]: true })
  return { schema: marked, check: checkOf(marked, "error") }
}

const checkOf = <S extends Schema.Top>(schema: S, onExcessProperty: "ignore" | "error") => {
  // Compiled at the first use, because compiling all bodies would take most of a start.
  const validator = lazy(() => JsonSchemaValidator.ofProgram(jsonSchemaOf(schema, onExcessProperty)))
  return (body: JsonObject): Parsed<S["Type"]> => {
    const issues = validator().issues(body)
    return issues.length > 0 ? Result.fail(issues) : Result.succeed(body as S["Type"])
  }
}

const jsonSchemaOf = (schema: Schema.Top, onExcessProperty: "ignore" | "error"): JsonObject => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  return { ...simplified(document.schema), $defs: mapValues(document.definitions, simplified) } as JsonObject
}

const mapValues = (
  values: Readonly<Record<string, JsonSchema.JsonSchema>>,
  f: (value: JsonSchema.JsonSchema) => JsonSchema.JsonSchema
): Record<string, JsonSchema.JsonSchema> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, f(value)]))

/** One issue for each breach: `string | null` becomes one type, and one allowed value a constant. */
const simplified = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const parts = Object.entries(schema).map(([key, part]) => [
    key,
    Array.isArray(part) ? part.map(simplifiedPart) : simplifiedPart(part)
  ])
  const { anyOf, enum: allowed, ...rest }: JsonSchema.JsonSchema = Object.fromEntries(parts)
  const given = Array.isArray(anyOf) && anyOf.length === 2 ? anyOf[0] : undefined
  if (Array.isArray(anyOf) && Predicate.isObject(given) && anyOf[1]?.type === "null" && "type" in given) {
    return { ...given, ...rest, type: [given["type"], "null"] }
  }
  if (Array.isArray(allowed) && allowed.length === 1) return { ...rest, const: allowed[0] }
  return {
    ...rest,
    ...(anyOf !== undefined && { anyOf }),
    ...(allowed !== undefined && { enum: allowed })
  }
}

const simplifiedPart = (part: unknown): unknown => (Predicate.isObject(part) ? simplified({ ...part }) : part)

interface ReadOptions {
  /** Bytes; 10 MiB when not given. */
  readonly limit?: number
  /** Whether the body may be absent, which counts as `{}`. */
  readonly optional?: boolean
}

/** The checked body of a request. Fails with the refusal of its headers, its text or its fields. */
export const read = <A>(
  { check }: { readonly check: (body: JsonObject) => Parsed<A> },
  request: HttpServerRequest,
  { limit, optional = false }: ReadOptions = {}
): Effect.Effect<A, ErrorAnswer.ErrorAnswer> => {
  const sent = {
    headers: request.headers,
    readBody: BodyReader.read(request, limit),
    ...(limit !== undefined && { limit })
  }
  const body = optional ? JsonObjectBody.readIfSent(sent) : JsonObjectBody.read(sent)
  return Effect.flatMap(body, (object) => ErrorAnswer.orInvalid(check(object)))
}
