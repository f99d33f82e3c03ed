/**
 * Encodes values by a plan that is made once per schema, at a fraction of the cost of the schema's own encoder. A value that
 * the plan does not cover or that breaks the schema goes to that encoder, so results and errors are always the encoder's.
 */
import { Schema, SchemaAST } from "effect"
import type { Json, JsonObject } from "./CanonicalJson.ts"

/**
 * Returns what the schema's encoder would return. `undefined` means that the encoder must decide: the value may break the
 * schema, or the plan does not cover a part of the schema.
 */
export type EncodePlan<Encoded extends Json = Json> = (value: unknown) => Encoded | undefined

export const make = (schema: { readonly ast: SchemaAST.AST }): EncodePlan => planOf(schema.ast)

/** The plan of a struct without the named properties. */
export const without = (
  { ast }: { readonly ast: SchemaAST.Objects },
  names: ReadonlyArray<PropertyKey>
): EncodePlan<JsonObject> =>
  isPlain(ast) && ast.indexSignatures.length === 0
    ? eachProperty(ast.propertySignatures.filter(({ name }) => !names.includes(name)))
    : leaveIt

const planOf = (ast: SchemaAST.AST): EncodePlan => {
  if (ast.encoding !== undefined) return ast.encoding === bigIntFromString ? encodeBigInt : leaveIt
  const encode = planOfKind(ast)
  return ast.checks === undefined ? encode : checked(encode, ast, ast.checks)
}

const bigIntFromString = Schema.BigIntFromString.ast.encoding

const leaveIt = () => undefined
const encodeBigInt: EncodePlan = (value) => (typeof value === "bigint" ? String(value) : undefined)
const copyString: EncodePlan = (value) => (typeof value === "string" ? value : undefined)
const copyNumber: EncodePlan = (value) => (typeof value === "number" ? value : undefined)
const copyBoolean: EncodePlan = (value) => (typeof value === "boolean" ? value : undefined)
const copyNull: EncodePlan = (value) => (value === null ? value : undefined)

const planOfKind = (ast: SchemaAST.AST): EncodePlan => {
  switch (ast._tag) {
    case "String":
      return copyString
    case "Number":
      return copyNumber
    case "Boolean":
      return copyBoolean
    case "Null":
      return copyNull
    case "Literal": {
      const { literal } = ast
      return typeof literal === "bigint" ? leaveIt : (value) => (value === literal ? literal : undefined)
    }
    case "Union":
      return ast.encodingChecks === undefined && ast.options?.mode !== "oneOf"
        ? firstOf(ast.types.map(planOf))
        : leaveIt
    case "Arrays": {
      const [item] = ast.rest
      const isList = ast.elements.length === 0 && ast.rest.length === 1 && ast.encodingChecks === undefined
      return isList && item !== undefined ? eachItem(planOf(item)) : leaveIt
    }
    case "Objects":
      return planOfObject(ast)
    default:
      return leaveIt
  }
}

const defaults: SchemaAST.ParseOptions = {}

const checked = (encode: EncodePlan, ast: SchemaAST.AST, checks: SchemaAST.Checks): EncodePlan => {
  const filters = checks.filter((check) => check._tag === "Filter")
  if (filters.length < checks.length) return leaveIt
  return (value) => {
    const encoded = encode(value)
    if (encoded === undefined) return undefined
    // Checks expect a value of the right type, so they run after the encoding has confirmed the type.
    return filters.every((filter) => filter.run(value, ast, defaults) === undefined) ? encoded : undefined
  }
}

const firstOf =
  (plans: ReadonlyArray<EncodePlan>): EncodePlan =>
  (value) => {
    for (const plan of plans) {
      const encoded = plan(value)
      if (encoded !== undefined) return encoded
    }
    return undefined
  }

const eachItem =
  (item: EncodePlan): EncodePlan =>
  (value) => {
    if (!Array.isArray(value)) return undefined
    const items: Array<Json> = []
    for (const member of value) {
      const encoded = item(member)
      if (encoded === undefined) return undefined
      items.push(encoded)
    }
    return items
  }

const planOfObject = ({
  encodingChecks,
  indexSignatures,
  propertySignatures
}: SchemaAST.Objects): EncodePlan => {
  const [index] = indexSignatures
  if (encodingChecks !== undefined) return leaveIt
  if (index === undefined) return eachProperty(propertySignatures)
  const isRecord = propertySignatures.length === 0 && indexSignatures.length === 1
  return isRecord && isPlainString(index.parameter) ? eachMember(planOf(index.type)) : leaveIt
}

const isPlainString = ({ _tag, checks, encoding }: SchemaAST.AST): boolean =>
  _tag === "String" && checks === undefined && encoding === undefined

const isPlain = ({ checks, encoding, encodingChecks }: SchemaAST.Objects): boolean =>
  checks === undefined && encoding === undefined && encodingChecks === undefined

const eachProperty = (signatures: ReadonlyArray<SchemaAST.PropertySignature>): EncodePlan<JsonObject> => {
  const properties = signatures
    .map(({ name, type }) => ({
      name: String(name),
      isOptional: SchemaAST.isOptional(type),
      plan: planOf(type)
    }))
    // In the order of canonical JSON, so that writing the object does not sort again.
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  if (signatures.some(({ name }) => typeof name !== "string" || name in Object.prototype)) return leaveIt
  return (value) => {
    if (!isObject(value)) return undefined
    const encoded: Record<string, Json> = {}
    for (const { isOptional, name, plan } of properties) {
      const member = value[name]
      if (member === undefined && isOptional && !(name in value)) continue
      const written = plan(member)
      if (written === undefined) return undefined
      encoded[name] = written
    }
    return encoded
  }
}

const eachMember =
  (plan: EncodePlan): EncodePlan =>
  (value) => {
    if (!isObject(value)) return undefined
    const encoded: Record<string, Json> = {}
    for (const name of Object.keys(value)) {
      const written = plan(value[name])
      // Assigning `__proto__` would not add a key.
      if (written === undefined || name === "__proto__") return undefined
      encoded[name] = written
    }
    return encoded
  }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
