/** Which control fits a part of an input schema, and which fields stand first. */
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import { isList, isRecord } from "#console/views/result/JsonShape.ts"

export type FieldKind =
  | "media"
  | "choice"
  | "radio"
  | "switch"
  | "number"
  | "slider"
  | "long"
  | "text"
  | "const"
  | "object"
  | "list"
  | "variants"
  /** Anything else: as JSON. */
  | "json"

/** Choices of which all can be seen at once. */
const mostRadios = 4
const longestRadio = 16

/** Texts that may be longer get several lines. */
const longestLine = 200

const mediaName =
  /(?:^|_)(?:image|picture|photo|mask|audio|voice|video|film|clip|file|document|mesh)(?:_?(?:url|uri|path|file))?s?$/
const longName = /(?:^|_)(?:prompt|text|messages?|content|caption|lyrics|script|query|instructions?|code)$/

/** As `init_image` for `initImage`. */
const snake = (name: string) =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase()

/** Whether a pattern lets URLs and `data:` URIs through, as those of files do. */
const takesData = (pattern: Json | undefined) =>
  typeof pattern === "string" && /data|\[Dd\]\[Aa\]\[Tt\]\[Aa\]/.test(pattern) && /:/.test(pattern)

/** Whether a text is the address of a file. JSON Schema has no word for it, so its format, form and name tell. */
const isMedia = (name: string, schema: JsonObject): boolean => {
  if (typeOf(schema) !== "string" || schema["enum"] !== undefined) return false
  const type = schema["contentMediaType"]
  if (typeof type === "string" && !type.startsWith("text/")) return true
  if (takesData(schema["pattern"])) return true
  const isUri =
    schema["format"] === "uri" || schema["format"] === "url" || schema["format"] === "uri-reference"
  return mediaName.test(snake(name)) && (isUri || schema["format"] === undefined) && !isShort(schema)
}

/** A text that is too short for an address. */
const isShort = ({ maxLength }: JsonObject) => typeof maxLength === "number" && maxLength < 64

/** The schema's type; the first that is not null of several; guessed from other keywords. */
export const typeOf = (schema: JsonObject): string | null => {
  const { type } = schema
  if (typeof type === "string") return type
  if (isList(type)) return type.map(String).find((one) => one !== "null") ?? "null"
  if (isRecord(schema["properties"]) || schema["additionalProperties"] !== undefined) return "object"
  if (schema["items"] !== undefined) return "array"
  const values = isList(schema["enum"])
    ? schema["enum"]
    : schema["const"] === undefined
      ? []
      : [schema["const"]]
  const kinds = new Set(
    values.map((value) => (value === null ? "null" : isList(value) ? "array" : typeof value))
  )
  kinds.delete("null")
  return kinds.size === 1 ? ([...kinds][0] ?? null) : null
}

const isScalarType = (type: string | null) =>
  type === "string" || type === "number" || type === "integer" || type === "boolean"

const choiceOf = (values: ReadonlyArray<Json>, isRequired: boolean): FieldKind =>
  isRequired && values.length <= mostRadios && values.every((value) => String(value).length <= longestRadio)
    ? "radio"
    : "choice"

const isLong = (name: string, schema: JsonObject): boolean => {
  const { contentMediaType, maxLength } = schema
  if (typeof contentMediaType === "string") return true
  if (schema["format"] !== undefined || schema["pattern"] !== undefined) return false
  return typeof maxLength === "number"
    ? maxLength > longestLine && (maxLength > 1_000 || longName.test(snake(name)))
    : longName.test(snake(name))
}

/** @param name of the field, for what the schema leaves open. */
export const of = (name: string, schema: JsonObject, isRequired: boolean): FieldKind => {
  const type = typeOf(schema)
  if (schema["const"] !== undefined && isScalarType(type)) return "const"
  if (isList(schema["enum"])) return isScalarType(type) ? choiceOf(schema["enum"], isRequired) : "json"
  if (isList(schema["oneOf"]) || isList(schema["anyOf"])) return "variants"
  switch (type) {
    case "boolean":
      return "switch"
    case "number":
    case "integer":
      return typeof schema["minimum"] === "number" && typeof schema["maximum"] === "number"
        ? "slider"
        : "number"
    case "string":
      return isMedia(name, schema) ? "media" : isLong(name, schema) ? "long" : "text"
    case "array":
      return isRecord(schema["items"]) && schema["prefixItems"] === undefined ? "list" : "json"
    case "object":
      return isRecord(schema["properties"]) || isRecord(schema["additionalProperties"]) ? "object" : "json"
    default:
      return "json"
  }
}

/** Forms with at most so many fields show all of them. */
const mostShown = 5

export interface Fields {
  readonly first: ReadonlyArray<string>
  /** Optional ones, which are folded. */
  readonly more: ReadonlyArray<string>
}

/** @param example an input that shows which optional fields matter. */
export const orderOf = (schema: JsonObject, example: Json | undefined): Fields => {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {}
  const names = Object.keys(properties)
  const required = new Set(isList(schema["required"]) ? schema["required"].map(String) : [])
  const isFirst = (name: string) => required.has(name) || (isRecord(example) && name in example)
  const first = names.filter(isFirst)
  const more = names.filter((name) => !isFirst(name))
  return names.length <= mostShown || first.length === 0
    ? { first: [...first, ...more], more: [] }
    : { first, more }
}

/** As "Num images" for `num_images`. */
export const labelOf = (name: string, schema: JsonObject): string => {
  const { title } = schema
  if (typeof title === "string" && title !== "") return title
  const words = snake(name).replaceAll("_", " ").trim()
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1)
}

/** Longer defaults stand in the empty field alone. */
const longestDefault = 32

/** As "1 to 50" or "at most 2,000 characters", and the default. `null` if there is nothing to say. */
export const boundsOf = (schema: JsonObject): string | null => {
  const { default: usual, maxLength, maximum, minimum } = schema
  const said: Array<string> = []
  if (typeof minimum === "number" && typeof maximum === "number")
    said.push(`${figure(minimum)} to ${figure(maximum)}`)
  else if (typeof minimum === "number") said.push(`At least ${figure(minimum)}`)
  else if (typeof maximum === "number") said.push(`At most ${figure(maximum)}`)
  if (typeof maxLength === "number" && maxLength <= 20_000)
    said.push(`At most ${figure(maxLength)} characters`)
  const isShown =
    typeof usual === "number" ||
    typeof usual === "boolean" ||
    (typeof usual === "string" && usual.length <= longestDefault)
  if (isShown && usual !== "") said.push(`Default ${String(usual).replace(/[.\s]+$/, "")}`)
  return said.length === 0 ? null : `${said.join(". ")}.`
}

const figure = (value: number) => value.toLocaleString("en")
