/**
 * JSON Schema 2020-12 as a shape. A shape is as wide as the schema or wider: a rule that types cannot say (`pattern`, `not`, `if`, bounds) is
 * left out. A schema with `properties` and without `type` is taken for an object, and one with `items` for an array.
 */
import { Predicate } from "effect"
import * as Shape from "./Shape.ts"
import { docOf } from "./SchemaDoc.ts"

export interface Context {
  /** The name of the schema that a `$ref` points at; null when there is none. */
  readonly named: (ref: string) => string | null
  /** Whether a text with this schema is the URL of a file. `name` is that of the nearest field. */
  readonly isFile: (schema: Json, name: string) => boolean
}

type Json = Readonly<Record<string, unknown>>

/** Schemas inside deeper ones are taken for unknown. */
const deepest = 64

const types = ["object", "array", "string", "number", "integer", "boolean", "null"] as const
type Type = (typeof types)[number]

/** @param name of the nearest field, or of the whole */
export const shapeOf = (context: Context, schema: unknown, name: string, depth = 0): Shape.Shape => {
  if (schema === false) return Shape.never
  if (!isObject(schema) || depth > deepest) return Shape.unknown
  const inner = (schema: unknown, field = name) => shapeOf(context, schema, field, depth + 1)
  const parts: Array<Shape.Shape> = []
  for (const key of ["$ref", "$dynamicRef"]) {
    const ref = schema[key]
    const target = typeof ref === "string" ? context.named(ref) : null
    if (target !== null) parts.push({ _tag: "Named", name: target })
  }
  if ("const" in schema) parts.push(constant(schema["const"]))
  else if (Array.isArray(schema["enum"])) parts.push(Shape.union(schema["enum"].map(constant)))
  else parts.push(ofTypes(context, schema, name, inner))
  for (const key of ["anyOf", "oneOf"]) {
    const members = schema[key]
    if (Array.isArray(members)) parts.push(Shape.union(members.map((member) => inner(member))))
  }
  if (Array.isArray(schema["allOf"])) parts.push(...schema["allOf"].map((member) => inner(member)))
  const shape = Shape.all(parts)
  return schema["nullable"] === true ? Shape.union([shape, Shape.nothing]) : shape
}

const isObject = (value: unknown): value is Json => Predicate.isObject(value)

const constant = (value: unknown): Shape.Shape => {
  if (value === null) return Shape.nothing
  if (typeof value === "string" || typeof value === "boolean") return { _tag: "Literal", value }
  if (typeof value === "number") return { _tag: "Literal", value }
  if (Array.isArray(value))
    return { _tag: "Tuple", items: value.map(constant), least: value.length, rest: null }
  if (!isObject(value)) return Shape.unknown
  const fields = Object.entries(value).map(([name, value]) => ({
    name,
    shape: constant(value),
    isRequired: true,
    doc: []
  }))
  return { _tag: "Fields", fields, rest: null }
}

type Inner = (schema: unknown, field?: string) => Shape.Shape

const ofTypes = (context: Context, schema: Json, name: string, inner: Inner): Shape.Shape => {
  const declared = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]]
  const found = types.filter((type) => declared.includes(type))
  const meant = found.length > 0 ? found : impliedType(schema)
  if (meant.length === 0) return Shape.unknown
  return Shape.union(meant.map((type) => ofType(context, type, schema, name, inner)))
}

const impliedType = (schema: Json): ReadonlyArray<Type> => {
  const has = (...keys: ReadonlyArray<string>) => keys.some((key) => key in schema)
  if (has("properties", "required", "additionalProperties", "patternProperties")) return ["object"]
  return has("items", "prefixItems") ? ["array"] : []
}

const ofType = (context: Context, type: Type, schema: Json, name: string, inner: Inner): Shape.Shape => {
  switch (type) {
    case "object":
      return ofObject(schema, inner)
    case "array":
      return ofArray(schema, inner)
    case "string":
      return context.isFile(schema, name) ? { _tag: "File" } : { _tag: "Scalar", name: "string" }
    case "number":
    case "integer":
    case "boolean":
    case "null":
      return { _tag: "Scalar", name: type }
  }
}

const ofArray = (schema: Json, inner: Inner): Shape.Shape => {
  const { items, prefixItems } = schema
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  const further = Array.isArray(items) ? schema["additionalItems"] : items
  const rest = further === undefined ? Shape.unknown : inner(further)
  if (first.length === 0) return { _tag: "List", item: rest }
  const least = typeof schema["minItems"] === "number" ? Math.min(schema["minItems"], first.length) : 0
  const hasNoMore =
    rest._tag === "Never" || (typeof schema["maxItems"] === "number" && schema["maxItems"] <= first.length)
  return {
    _tag: "Tuple",
    items: first.map((item) => inner(item)),
    least,
    rest: hasNoMore ? null : rest
  }
}

const ofObject = (schema: Json, inner: Inner): Shape.Shape => {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const fields = Object.entries(properties).map(([name, property]): Shape.Field => ({
    name,
    shape: inner(property, name),
    isRequired: required.includes(name),
    doc: docOf(property)
  }))
  const undeclared = new Set(required.filter((name) => typeof name === "string"))
  for (const { name } of fields) undeclared.delete(name)
  const patterns = isObject(schema["patternProperties"]) ? Object.values(schema["patternProperties"]) : []
  const further = "additionalProperties" in schema ? [schema["additionalProperties"]] : []
  const described = [...patterns, ...further].filter((part) => part !== false)
  const isDescribed = further.length > 0 || patterns.length > 0 || fields.length > 0 || undeclared.size > 0
  const rest =
    patterns.length > 0 && further.length === 0
      ? Shape.unknown
      : described.length > 0
        ? Shape.union(described.map((part) => inner(part)))
        : isDescribed
          ? null
          : Shape.unknown
  return {
    _tag: "Fields",
    fields: [
      ...fields,
      ...[...undeclared].map((name) => ({ name, shape: rest ?? Shape.unknown, isRequired: true, doc: [] }))
    ],
    rest,
    ...(!isDescribed && { isAny: true }),
    doc: docOf(schema)
  }
}
