/** Shapes as schemas of Effect. */
import * as DocText from "#src/edges/codegen/DocText.ts"
import type * as Shape from "#src/edges/codegen/Shape.ts"
import * as TypeScriptTypes from "#src/edges/codegen/TypeScriptTypes.ts"

/** @param scope before names of other schemas, such as `Schemas.` */
const schema = (shape: Shape.Shape, scope = ""): string => {
  const inner = (shape: Shape.Shape) => schema(shape, scope)
  switch (shape._tag) {
    case "Unknown":
    case "All":
      return "Schema.Json"
    case "Never":
      return "Schema.Never"
    case "Scalar":
      return `Schema.${{ string: "String", number: "Finite", integer: "Int", boolean: "Boolean", null: "Null" }[shape.name]}`
    case "Literal":
      return `Schema.Literal(${JSON.stringify(shape.value)})`
    case "File":
      return "Schema.String"
    case "Named":
      return scope + shape.name
    case "List":
      return `Schema.Array(${inner(shape.item)})`
    case "Tuple":
      return `Schema.Array(${union([...shape.items, ...(shape.rest === null ? [] : [shape.rest])], inner)})`
    case "Fields":
      return object(shape, scope)
    case "Union":
      return union(shape.members, inner)
  }
}

const object = (
  { fields: named, rest }: Shape.Shape & { readonly _tag: "Fields" },
  scope: string
): string => {
  const struct = `Schema.Struct(${fields(named, scope)})`
  if (rest === null) return struct
  const record = `Schema.Record(Schema.String, ${named.length === 0 ? schema(rest, scope) : "Schema.Json"})`
  return named.length === 0 ? record : `Schema.StructWithRest(${struct}, [${record}])`
}

const union = (members: ReadonlyArray<Shape.Shape>, inner: (shape: Shape.Shape) => string): string => {
  const isNull = (shape: Shape.Shape) => shape._tag === "Scalar" && shape.name === "null"
  const values = members.flatMap((member) =>
    member._tag === "Literal" ? [JSON.stringify(member.value)] : []
  )
  const others = members.filter((member) => member._tag !== "Literal" && !isNull(member)).map(inner)
  const all = [...(values.length > 0 ? [`Schema.Literals([${values.join(", ")}])`] : []), ...others]
  const whole = all.length === 1 ? String(all[0]) : `Schema.Union([${all.join(", ")}])`
  return members.some(isNull) ? `Schema.NullOr(${whole})` : whole
}

export const fields = (fields: ReadonlyArray<Shape.Field>, scope = ""): string => {
  const lines = fields.map(({ doc, isRequired, name, shape }) => {
    const value = schema(shape, scope)
    return `${TypeScriptTypes.comment(doc, "  ")}  ${TypeScriptTypes.key(name)}: ${isRequired ? value : `Schema.optionalKey(${value})`}`
  })
  return `{\n${lines.join(",\n")}\n}`
}

/** Each after those that it mentions. The public API has no recursive types. */
export const ordered = (definitions: ReadonlyArray<Shape.Definition>): ReadonlyArray<Shape.Definition> => {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  const found = new Set<Shape.Definition>()
  const visit = (definition: Shape.Definition) => {
    if (found.has(definition)) return
    for (const name of schema(definition.shape).match(/\b[A-Z]\w*\b/g) ?? []) {
      const other = byName.get(name)
      if (other !== undefined && other !== definition) visit(other)
    }
    found.add(definition)
  }
  definitions.forEach(visit)
  return [...found]
}

export const definition = ({ doc, name, shape }: Shape.Definition): string =>
  [
    `${TypeScriptTypes.comment(doc)}export const ${name} = ${schema(shape)}.annotate({ identifier: ${DocText.quoted(name)} })`,
    `export type ${name} = typeof ${name}.Type\n`
  ].join("\n")
