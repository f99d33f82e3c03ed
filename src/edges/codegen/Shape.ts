/** What values a JSON Schema allows, without regard to a language. Printers turn shapes into types of TypeScript and Python. */

export type Shape =
  | { readonly _tag: "Unknown" }
  /** No value at all. */
  | { readonly _tag: "Never" }
  | { readonly _tag: "Scalar"; readonly name: "string" | "number" | "integer" | "boolean" | "null" }
  | { readonly _tag: "Literal"; readonly value: string | number | boolean }
  /** A URL in whose place a client accepts bytes, which it uploads. */
  | { readonly _tag: "File" }
  | { readonly _tag: "List"; readonly item: Shape }
  | {
      readonly _tag: "Tuple"
      readonly items: ReadonlyArray<Shape>
      /** How many of `items` have to be there. */
      readonly least: number
      /** The schema of further items; null if there can be no further items. */
      readonly rest: Shape | null
    }
  | {
      readonly _tag: "Fields"
      readonly fields: ReadonlyArray<Field>
      /** Of fields that have no name here; null: none are described. */
      readonly rest: Shape | null
      /** Nothing is said about its fields. */
      readonly isAny?: boolean
      /** Of the object, as it came. */
      readonly doc?: ReadonlyArray<string>
    }
  | { readonly _tag: "Union"; readonly members: ReadonlyArray<Shape> }
  /** All at once. Only what cannot be combined without looking up a name is left like this. */
  | { readonly _tag: "All"; readonly members: ReadonlyArray<Shape> }
  | { readonly _tag: "Named"; readonly name: string }

export interface Field {
  readonly name: string
  readonly shape: Shape
  readonly isRequired: boolean
  /** Paragraphs as they came: printers make them harmless. */
  readonly doc: ReadonlyArray<string>
}

/** A shape with a name of its own. */
export interface Definition {
  readonly name: string
  readonly shape: Shape
  readonly doc: ReadonlyArray<string>
}

export const unknown: Shape = { _tag: "Unknown" }
export const never: Shape = { _tag: "Never" }
export const nothing: Shape = { _tag: "Scalar", name: "null" }

/** More members than this are no longer combined one by one. */
const mostMembers = 64

export const equal = (a: Shape, b: Shape): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Flat, without repetitions and without members that another one contains. */
export const union = (members: ReadonlyArray<Shape>): Shape => {
  const seen = new Map<string, Shape>()
  for (const member of members.flatMap((member) => (member._tag === "Union" ? member.members : [member])))
    if (member._tag !== "Never") seen.set(JSON.stringify(member), member)
  const all = [...seen.values()]
  if (all.some(({ _tag }) => _tag === "Unknown")) return unknown
  const scalars = new Set(all.flatMap((member) => (member._tag === "Scalar" ? [member.name] : [])))
  const kept = all.filter((member) => {
    if (member._tag === "Literal") return ![...scalars].some((name) => isOf(member.value, name))
    return !(member._tag === "Scalar" && member.name === "integer" && scalars.has("number"))
  })
  const [first = never] = kept
  return kept.length <= 1 ? first : { _tag: "Union", members: kept }
}

const isOf = (
  value: string | number | boolean,
  name: (Shape & { readonly _tag: "Scalar" })["name"]
): boolean => {
  if (name === "integer") return Number.isInteger(value)
  return name === typeof value
}

/** The values that all of `members` allow. */
export const all = (members: ReadonlyArray<Shape>): Shape => members.reduce(both, unknown)

const both = (a: Shape, b: Shape): Shape => {
  if (a._tag === "Unknown" || equal(a, b)) return b
  if (b._tag === "Unknown") return a
  if (a._tag === "Never" || b._tag === "Never") return never
  if (a._tag === "Union" || b._tag === "Union") {
    const [as, bs] = [membersOf(a), membersOf(b)]
    // What is too much to combine stays as wide as one side: no value that the schema allows is lost.
    if (as.length * bs.length > mostMembers) return a
    return union(as.flatMap((one) => bs.map((other) => both(one, other))))
  }
  if (isOpen(a) || isOpen(b)) return { _tag: "All", members: [...parts(a), ...parts(b)] }
  return met(a, b) ?? met(b, a) ?? never
}

const membersOf = (shape: Shape) => (shape._tag === "Union" ? shape.members : [shape])
const parts = (shape: Shape) => (shape._tag === "All" ? shape.members : [shape])
const isOpen = ({ _tag }: Shape) => _tag === "Named" || _tag === "All"

/** Null when the two have nothing in common, seen from the first. */
const met = (a: Shape, b: Shape): Shape | null => {
  if (a._tag === "Literal") {
    const isInOther =
      b._tag === "File" ? typeof a.value === "string" : b._tag === "Scalar" && isOf(a.value, b.name)
    return isInOther ? a : null
  }
  if (a._tag === "Scalar")
    return b._tag === "Scalar" && a.name === "integer" && b.name === "number" ? a : null
  if (a._tag === "File") return b._tag === "Scalar" && b.name === "string" ? a : null
  if (a._tag === "List") return b._tag === "List" ? { _tag: "List", item: both(a.item, b.item) } : null
  if (a._tag === "Tuple") return b._tag === "List" || b._tag === "Tuple" ? tuples(a, b) : null
  return a._tag === "Fields" && b._tag === "Fields" ? fields(a, b) : null
}

const tuples = (a: Shape & { _tag: "Tuple" }, b: Shape & { _tag: "Tuple" | "List" }): Shape => {
  if (b._tag === "List")
    return {
      ...a,
      items: a.items.map((item) => both(item, b.item)),
      rest: a.rest === null ? null : both(a.rest, b.item)
    }
  const length = Math.max(a.items.length, b.items.length)
  const at = (tuple: typeof b, index: number) => tuple.items[index] ?? tuple.rest ?? never
  return {
    _tag: "Tuple",
    items: Array.from({ length }, (_, index) => both(at(a, index), at(b, index))),
    least: Math.max(a.least, b.least),
    rest: a.rest === null || b.rest === null ? null : both(a.rest, b.rest)
  }
}

const fields = (a: Shape & { _tag: "Fields" }, b: Shape & { _tag: "Fields" }): Shape => {
  if (a.isAny) return b
  if (b.isAny) return a
  const merged = new Map(a.fields.map((field) => [field.name, field]))
  for (const field of b.fields) {
    const before = merged.get(field.name)
    merged.set(
      field.name,
      before === undefined
        ? field
        : {
            name: field.name,
            shape: both(before.shape, field.shape),
            isRequired: before.isRequired || field.isRequired,
            doc: before.doc.length > 0 ? before.doc : field.doc
          }
    )
  }
  const rest = a.rest === null || b.rest === null ? (a.rest ?? b.rest) : both(a.rest, b.rest)
  const doc = a.doc ?? b.doc
  return { _tag: "Fields", fields: [...merged.values()], rest, ...(doc !== undefined && { doc }) }
}

/** The shape with `change` made to each part of it, from the inside to the outside. */
export const mapped = (shape: Shape, change: (shape: Shape) => Shape): Shape => {
  const inner = (part: Shape) => mapped(part, change)
  const orNull = (part: Shape | null) => (part === null ? null : inner(part))
  switch (shape._tag) {
    case "List":
      return change({ ...shape, item: inner(shape.item) })
    case "Tuple":
      return change({ ...shape, items: shape.items.map(inner), rest: orNull(shape.rest) })
    case "Fields":
      return change({
        ...shape,
        fields: shape.fields.map((field) => ({ ...field, shape: inner(field.shape) })),
        rest: orNull(shape.rest)
      })
    case "Union":
    case "All":
      return change({ ...shape, members: shape.members.map(inner) })
    default:
      return change(shape)
  }
}
