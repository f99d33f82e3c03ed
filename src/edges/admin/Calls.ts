/** The calls of an operation as HTTP: where each field of a payload is, and the forms of results and errors. */
import { Effect, Predicate, Record, Result, Schema, SchemaIssue, Struct } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import { lazy } from "#src/kernel/async/Lazy.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"
import { AdministrationFailed, type Any, paramsOf } from "./Operation.ts"

export const prefix = "/admin/v1"

export type Payload = Readonly<Record<string, unknown>>

/** A call on the wire. */
interface Call {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** `null` without a body. */
  readonly body: Readonly<Record<string, unknown>> | null
}

export const hasBody = ({ method }: Pick<Any, "method">): boolean => method !== "GET" && method !== "DELETE"

/** Whether a call returns nothing. */
export const isVoid = ({ success }: Pick<Any, "success">): boolean => success.ast._tag === "Void"

/** The fields of a payload by their places. */
export const placesOf = ({ path, payload, ...operation }: Any) => {
  const names = paramsOf(path)
  const params = Struct.pick(payload, names)
  const rest = Struct.omit(payload, names)
  return hasBody(operation) ? { params, query: {}, body: rest } : { params, query: rest, body: {} }
}

/** `KeyNotFound` → `KEY_NOT_FOUND` */
export const codeOf = (tag: string): string => tag.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()

/** The names of tagged errors. */
export const tagOf = (schema: unknown): string =>
  Predicate.hasProperty(schema, "_tag")
    ? String(schema._tag)
    : Predicate.hasProperty(schema, "identifier")
      ? String(schema.identifier)
      : ""

const messageOf = (issue: SchemaIssue.Leaf): string => {
  switch (issue._tag) {
    case "MissingKey":
      return "must be given"
    case "UnexpectedKey":
      return "is not a field of this call"
    case "InvalidType":
      return `must be ${issue.ast._tag.toLowerCase()}`
    case "InvalidValue": {
      const message = issue.annotations?.["message"]
      return typeof message === "string" ? message : "is not valid"
    }
    default:
      return "is not valid"
  }
}

const expectedBy = ({ filter }: SchemaIssue.Filter): string => {
  const expected = filter.annotations?.["expected"]
  return typeof expected === "string" ? `must be ${expected}` : "is not valid"
}

/** Says what is wrong where, without the value. */
const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: messageOf, checkHook: expectedBy })

const segmentOf = (segment: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const key = typeof segment === "object" ? segment.key : segment
  return typeof key === "number" ? key : String(key)
}

const mostIssues = 100

const issuesOf = (error: Schema.SchemaError): ReadonlyArray<Issue> =>
  format(error.issue)
    .issues.slice(0, mostIssues)
    .map(({ message, path = [] }) => ({ path: path.map(segmentOf), code: "invalid", message }))

export interface Wired {
  readonly encode: (payload: Payload) => Effect.Effect<Call, Schema.SchemaError>
  readonly decode: (call: Call) => Result.Result<Payload, ReadonlyArray<Issue>>
  readonly encodeSuccess: (result: unknown) => Effect.Effect<unknown, Schema.SchemaError>
  readonly decodeSuccess: (body: unknown) => Effect.Effect<unknown, Schema.SchemaError>
  /** The fields of the error, without its tag. */
  readonly encodeError: (
    error: unknown
  ) => Effect.Effect<Readonly<Record<string, unknown>>, Schema.SchemaError>
  /** The error of that code; `null` for none that the operation declares. */
  readonly decodeError: (code: string, details: Readonly<Record<string, unknown>>) => unknown
}

/** The given fields of a payload that are in one place. */
const partOf = (fields: object, payload: Payload): Payload =>
  Record.filter(payload, (_, name) => Object.hasOwn(fields, name))

const strict = { onExcessProperty: "error", errors: "all" } as const

const compile = (operation: Any): Wired => {
  const places = placesOf(operation)
  const params = Schema.toCodecStringTree(Schema.Struct(places.params))
  const query = Schema.toCodecStringTree(Schema.Struct(places.query))
  const body = Schema.toCodecJson(Schema.Struct(places.body))
  const success = Schema.toCodecJson(operation.success)
  const encodeBody = Schema.encodeUnknownEffect(body)
  const encodeSuccess = Schema.encodeUnknownEffect(success)
  const decodeSuccess = Schema.decodeUnknownEffect(success)
  const { rememberingPayload, rememberingResult } = operation
  const remembered = (copy: unknown, source: unknown): unknown =>
    typeof copy === "object" && copy !== null ? rememberingResult(copy, source as Json) : copy
  const errors = [...operation.errors, AdministrationFailed]
  const failure = Schema.toCodecJson(Schema.Union(errors))
  const encodeFailure = Schema.encodeUnknownEffect(failure)
  const decodeFailure = Schema.decodeUnknownResult(failure)
  const tags = new Map(errors.map((error) => [codeOf(tagOf(error)), tagOf(error)]))
  const decodes = {
    params: Schema.decodeUnknownResult(params, strict),
    query: Schema.decodeUnknownResult(query, strict),
    body: Schema.decodeUnknownResult(body, strict)
  }
  return {
    encode: (payload) =>
      Effect.map(
        Effect.all({
          params: Schema.encodeUnknownEffect(params)(partOf(places.params, payload)),
          query: Schema.encodeUnknownEffect(query)(
            Record.filter(partOf(places.query, payload), (value) => value !== null && value !== undefined)
          ),
          body: hasBody(operation)
            ? Effect.map(encodeBody(partOf(places.body, payload)), (copy) =>
                rememberingPayload(copy as object, payload as Json)
              )
            : Effect.succeed(null)
        }),
        (call) => call as Call
      ),
    decode: (call) =>
      Result.mapError(
        Result.map(
          Result.all({
            params: decodes.params(call.params),
            query: decodes.query(call.query),
            body: decodes.body(call.body ?? {})
          }),
          ({ body, params, query }) => ({
            ...params,
            ...query,
            ...rememberingPayload(body, call.body as Json)
          })
        ),
        issuesOf
      ),
    encodeSuccess: (result) => Effect.map(encodeSuccess(result), (copy) => remembered(copy, result)),
    decodeSuccess: (body) => Effect.map(decodeSuccess(body), (copy) => remembered(copy, body)),
    encodeError: (error) =>
      Effect.map(encodeFailure(error), (encoded) => Struct.omit(Object(encoded), ["_tag"])),
    decodeError: (code, details) => {
      const _tag = tags.get(code)
      return _tag === undefined ? null : Result.getOrElse(decodeFailure({ ...details, _tag }), () => null)
    }
  }
}

/** Compiled at the first use, because compiling all operations would slow every start. */
export const wired = (operation: Any): (() => Wired) => lazy(() => compile(operation))
