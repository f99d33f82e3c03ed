/** All definitions that a file of types needs: those that are asked for, those that they refer to, and objects inside objects. */
import { Predicate } from "effect"
import { type Names, pascal } from "./Identifiers.ts"
import { docOf } from "./SchemaDoc.ts"
import * as SchemaShape from "./SchemaShape.ts"
import * as Shape from "./Shape.ts"

export interface Asked {
  /** The name that the definition gets. */
  readonly name: string
  /** A JSON pointer as a URI fragment: `#`, `#/components/schemas/Model`. */
  readonly ref: string
}

/**
 * @param document holds the schemas and everything that they refer to.
 * @param asked come first and in this order, with the names that they have there.
 * @param prefix of the names of what only references lead to.
 */
export const definitionsOf = (options: {
  readonly document: unknown
  readonly asked: ReadonlyArray<Asked>
  readonly prefix: string
  readonly names: Names
  readonly isFile?: SchemaShape.Context["isFile"]
}): ReadonlyArray<Shape.Definition> => {
  const { asked, document, isFile = () => false, names, prefix } = options
  const byRef = new Map(asked.map(({ name, ref }) => [ref, name]))
  const waiting = asked.map(({ name, ref }) => ({ name, schema: at(document, ref) }))
  const context: SchemaShape.Context = {
    isFile,
    named: (ref) => {
      const known = byRef.get(ref)
      if (known !== undefined) return known
      const schema = at(document, ref)
      if (schema === undefined) return null
      const name = names.take(`${prefix}${pascal(lastOf(ref))}`)
      byRef.set(ref, name)
      waiting.push({ name, schema })
      return name
    }
  }
  const found: Array<Shape.Definition> = []
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const shape = SchemaShape.shapeOf(context, next.schema, next.name)
    found.push({ name: next.name, shape, doc: docOf(next.schema) })
  }
  return withoutCycles(found).flatMap((definition) => hoisted(definition, names))
}

/** A definition that consists of itself says nothing: it allows everything. Recursion through fields and items is no such cycle. */
const withoutCycles = (definitions: ReadonlyArray<Shape.Definition>): ReadonlyArray<Shape.Definition> => {
  const shapes = new Map(definitions.map(({ name, shape }) => [name, shape]))
  const consistsOf = (name: string, shape: Shape.Shape, seen: Set<string>): boolean => {
    if (shape._tag === "Union" || shape._tag === "All")
      return shape.members.some((member) => consistsOf(name, member, seen))
    if (shape._tag !== "Named") return false
    if (shape.name === name) return true
    if (seen.has(shape.name)) return false
    seen.add(shape.name)
    return consistsOf(name, shapes.get(shape.name) ?? Shape.unknown, seen)
  }
  return definitions.map((definition) =>
    consistsOf(definition.name, definition.shape, new Set())
      ? { ...definition, shape: Shape.unknown }
      : definition
  )
}

const lastOf = (ref: string): string => decoded(ref.split(/[/#]/).at(-1) ?? "")

/** The schema at a fragment: a JSON pointer (RFC 6901), or an `$anchor`. Undefined when there is none, and for other documents. */
const at = (document: unknown, ref: string): unknown => {
  if (!ref.startsWith("#")) return undefined
  if (ref !== "#" && !ref.startsWith("#/")) return anchored(document, ref.slice(1))
  const keys = decoded(ref)
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
  let value: unknown = document
  for (const key of keys) {
    if (!Predicate.isObjectOrArray(value) || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

const decoded = (ref: string): string => {
  try {
    return decodeURIComponent(ref)
  } catch {
    return ref
  }
}

const anchored = (value: unknown, anchor: string): unknown => {
  if (!Predicate.isObjectOrArray(value)) return undefined
  if (Reflect.get(value, "$anchor") === anchor || Reflect.get(value, "$dynamicAnchor") === anchor)
    return value
  for (const part of Object.values(value)) {
    const found = anchored(part, anchor)
    if (found !== undefined) return found
  }
  return undefined
}

/** Objects inside a definition become definitions of their own, after it, so that they can be named in code. */
const hoisted = (definition: Shape.Definition, names: Names): ReadonlyArray<Shape.Definition> => {
  const found: Array<Shape.Definition> = []
  const apart = (shape: Shape.Shape, wish: string): Shape.Shape => {
    if (shape._tag !== "Fields" || shape.fields.length === 0) return within(shape, wish)
    const name = names.take(wish)
    const { doc = [] } = shape
    const index = found.push({ name, shape, doc }) - 1
    found[index] = { name, shape: within(shape, name), doc }
    return { _tag: "Named", name }
  }
  const within = (shape: Shape.Shape, name: string): Shape.Shape => {
    switch (shape._tag) {
      case "Fields":
        return {
          ...shape,
          fields: shape.fields.map((field) => ({
            ...field,
            shape: apart(field.shape, `${name}${pascal(field.name)}`)
          })),
          rest: shape.rest === null ? null : apart(shape.rest, `${name}Value`)
        }
      case "List":
        return { ...shape, item: apart(shape.item, itemName(name)) }
      case "Tuple":
        return {
          ...shape,
          items: shape.items.map((item, index) => apart(item, `${name}${index + 1}`)),
          rest: shape.rest === null ? null : apart(shape.rest, itemName(name))
        }
      case "Union":
      case "All":
        return {
          ...shape,
          members: shape.members.map((member) => apart(member, nameAmong(shape.members, member, name)))
        }
      default:
        return shape
    }
  }
  const shape = within(definition.shape, definition.name)
  return [{ ...definition, shape }, ...found]
}

/** `UsageData` for a list is `UsageDataItem` for one of it. */
const itemName = (name: string): string => `${name}Item`

/** A member of a union is called by the literal that tells it from the others, where one does. */
const nameAmong = (members: ReadonlyArray<Shape.Shape>, member: Shape.Shape, name: string): string => {
  const objects = members.filter((other) => other._tag === "Fields" && other.fields.length > 0)
  if (objects.length < 2 || member._tag !== "Fields") return objects.length < 2 ? name : `${name}Option`
  for (const { isRequired, name: field, shape } of member.fields) {
    if (!isRequired || shape._tag !== "Literal" || typeof shape.value !== "string") continue
    const others = objects.filter((other) => other !== member)
    const isOwn = others.every(
      (other) =>
        other._tag === "Fields" &&
        other.fields.some((one) => one.name === field && !Shape.equal(one.shape, shape))
    )
    if (isOwn) return `${name}${pascal(shape.value.toLowerCase())}`
  }
  return `${name}Option`
}
