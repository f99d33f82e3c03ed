/** The schema that the form draws, and how: references followed, fields named for people, each with the control that fits. */
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import { isList, isRecord } from "#console/views/result/JsonShape.ts"
import * as FieldKind from "./FieldKind.ts"
import { referred } from "./InputIssues.ts"

export interface FormSchema {
  readonly schema: JsonObject
  readonly uiSchema: Readonly<Record<string, unknown>>
}

/** Levels that are drawn; what is deeper, as in schemas that refer to themselves, is entered as JSON. */
const deepest = 6

/** Fields that are drawn: schemas whose parts refer to each other would have millions. */
const mostFields = 1_000

const alternatives = ["oneOf", "anyOf"] as const

interface Place {
  readonly root: JsonObject
  readonly depth: number
  readonly name: string
  readonly isRequired: boolean
  /** Fields that may still be drawn, counted down by all parts of a form. */
  readonly budget: { left: number }
}

/** With what its reference leads to. */
const resolved = (root: JsonObject, schema: JsonObject): JsonObject => {
  let found = schema
  for (let steps = 0; steps < deepest && typeof found["$ref"] === "string"; steps++) {
    const { $ref, ...rest } = found
    const target = referred(root, String($ref))
    if (!isRecord(target)) return rest
    found = { ...target, ...rest }
  }
  return found
}

/** `null` beside one other type is "nothing": the field is left out instead. */
const withoutNull = (schema: JsonObject): JsonObject => {
  for (const name of alternatives) {
    const options = schema[name]
    if (!isList(options)) continue
    const rest = options.filter((option) => !(isRecord(option) && option["type"] === "null"))
    const [only] = rest
    if (rest.length === 1 && rest.length < options.length && isRecord(only)) {
      const { [name]: _, ...others } = schema
      return { ...only, ...others }
    }
  }
  return schema
}

const controls: Readonly<Partial<Record<FieldKind.FieldKind, string>>> = {
  media: "media",
  choice: "choice",
  radio: "radio",
  switch: "switch",
  number: "number",
  slider: "slider",
  long: "long",
  text: "line",
  const: "constant"
}

const draw = (schema: JsonObject, place: Place): FormSchema => {
  const { budget, depth, name, root } = place
  budget.left -= 1
  const own = withoutNull(resolved(root, withoutNull(resolved(root, schema))))
  const title = FieldKind.labelOf(name, own)
  const kind = depth >= deepest || budget.left < 0 ? "json" : FieldKind.of(name, own, place.isRequired)
  const control = controls[kind]
  if (control !== undefined) return { schema: { ...own, title }, uiSchema: { "ui:widget": control } }
  switch (kind) {
    case "object":
      return drawObject({ ...own, title }, place)
    case "list": {
      const { items } = own
      if (!isRecord(items)) break
      const drawn = draw(items, { ...place, depth: depth + 1, name: singular(name), isRequired: true })
      return { schema: { ...own, title, items: drawn.schema }, uiSchema: { items: drawn.uiSchema } }
    }
    case "variants":
      return drawVariants({ ...own, title }, place)
    default:
      break
  }
  return { schema: { ...own, title }, uiSchema: { "ui:field": "json", "ui:fieldReplacesAnyOrOneOf": true } }
}

/** As "image" for an item of "images". */
const singular = (name: string) =>
  name.length > 3 && name.endsWith("s") && !name.endsWith("ss") ? name.slice(0, -1) : name

/** Required fields first, of those files and long texts: what the model works on. The server keeps no order of names. */
const inOrder = (
  properties: JsonObject,
  required: ReadonlySet<string>
): ReadonlyArray<readonly [string, Json]> => {
  const rank = ([name, member]: readonly [string, Json]) => {
    const kind = isRecord(member) ? FieldKind.of(name, member, required.has(name)) : "json"
    return (required.has(name) ? 0 : 3) + (kind === "media" || kind === "long" ? 0 : kind === "text" ? 1 : 2)
  }
  return Object.entries(properties).toSorted((left, right) => rank(left) - rank(right))
}

const drawObject = (schema: JsonObject, { budget, depth, root }: Place): FormSchema => {
  const required = new Set(isList(schema["required"]) ? schema["required"].map(String) : [])
  const properties: Record<string, Json> = {}
  const uiSchema: Record<string, unknown> = {}
  for (const [name, member] of inOrder(
    isRecord(schema["properties"]) ? schema["properties"] : {},
    required
  )) {
    // `false`: the name is refused.
    if (member === false) continue
    const drawn = draw(isRecord(member) ? member : {}, {
      root,
      budget,
      depth: depth + 1,
      name,
      isRequired: required.has(name)
    })
    properties[name] = drawn.schema
    uiSchema[name] = drawn.uiSchema
  }
  const others = schema["additionalProperties"]
  if (isRecord(others)) {
    const drawn = draw(others, { root, budget, depth: depth + 1, name: "value", isRequired: true })
    return {
      schema: { ...schema, type: "object", properties, additionalProperties: drawn.schema },
      uiSchema: { ...uiSchema, additionalProperties: drawn.uiSchema }
    }
  }
  return { schema: { ...schema, type: "object", properties, additionalProperties: false }, uiSchema }
}

/** Alternatives are told apart by their titles, else by their kinds. */
const titleOf = (option: JsonObject, index: number): string => {
  if (typeof option["title"] === "string") return option["title"]
  const constant = Object.values(isRecord(option["properties"]) ? option["properties"] : {}).find(
    (member) => isRecord(member) && typeof member["const"] === "string"
  )
  if (isRecord(constant)) return String(constant["const"])
  const type = FieldKind.typeOf(option)
  const names = {
    string: "Text",
    number: "Number",
    integer: "Whole number",
    boolean: "On or off",
    array: "List",
    object: "Object"
  }
  return (
    (type !== null && Object.entries(names).find(([name]) => name === type)?.[1]) || `Variant ${index + 1}`
  )
}

const drawVariants = (schema: JsonObject, place: Place): FormSchema => {
  const { depth, root } = place
  const name = isList(schema["oneOf"]) ? "oneOf" : "anyOf"
  const options = isList(schema[name]) ? schema[name] : []
  const resolvedOptions = options.map((option) => (isRecord(option) ? resolved(root, option) : {}))
  const titles = resolvedOptions.map(titleOf)
  const drawn = resolvedOptions.map((option, index) => {
    const inner = draw(option, { ...place, depth: depth + 1, isRequired: true })
    const title =
      titles.indexOf(titles[index] ?? "") === index ? titles[index] : `${titles[index]} ${index + 1}`
    return { ...inner, schema: { ...inner.schema, title: title ?? "" } }
  })
  const own = isRecord(schema["properties"]) ? drawObject(schema, place) : { schema, uiSchema: {} }
  return {
    schema: { ...own.schema, [name]: drawn.map(({ schema }) => schema) },
    uiSchema: { ...own.uiSchema, [name]: drawn.map(({ uiSchema }) => uiSchema) }
  }
}

/** @param schema of a model's input. */
export const of = (schema: JsonObject): FormSchema => {
  const own = resolved(schema, schema)
  const place = { root: schema, depth: 0, name: "", isRequired: true, budget: { left: mostFields } }
  const { description: _, title: __, ...rest } = own
  if (isList(own["oneOf"]) || isList(own["anyOf"])) return drawVariants({ type: "object", ...rest }, place)
  if (isRecord(own["properties"]) || isRecord(own["additionalProperties"])) return drawObject(rest, place)
  return {
    schema: { ...rest, title: "Input" },
    uiSchema: { "ui:field": "json", "ui:fieldReplacesAnyOrOneOf": true }
  }
}
