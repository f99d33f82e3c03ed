/** What to do about an input that breaks its schema, in a sentence beside the field. */
import type { Json } from "#domain/CanonicalJson.ts"

export const required = "This is required."
export const unknownField = "The model knows no such field. Remove it."

export const rounded = "A form rounds integers past 2^53. Enter this one under JSON, without quotes."

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null"
}

const formats: Readonly<Record<string, string>> = {
  uri: "an address such as https://example.com/cat.png",
  "uri-reference": "an address",
  url: "an address such as https://example.com/cat.png",
  email: "an e-mail address",
  date: "a date such as 2026-01-05",
  time: "a time such as 12:00:00Z",
  "date-time": "a time such as 2026-01-05T12:00:00Z",
  uuid: "a UUID"
}

/** An expression that is longer says nothing to a reader. */
const longestPattern = 60

const figure = (value: Json | undefined) =>
  typeof value === "number" ? value.toLocaleString("en") : String(value)

const count = (value: Json | undefined, one: string, many: string) =>
  `${figure(value)} ${value === 1 ? one : many}`

const listed = (value: Json | undefined) =>
  (Array.isArray(value) ? value : [value])
    .map((member: Json) => (typeof member === "string" ? member : JSON.stringify(member)))
    .join(", ")

const kindOf = (value: Json | undefined) =>
  (Array.isArray(value) ? value : [value]).map((kind) => kinds[String(kind)] ?? String(kind)).join(" or ")

const pattern = (value: Json | undefined) => {
  const text = String(value)
  if (/https?/i.test(text.replace(/[[\]]/g, "").replace(/(.)\1/gi, "$1")))
    return "Enter an address that begins with https://, or choose a file."
  return text.length <= longestPattern
    ? `Enter a text of the form ${text}.`
    : "The text does not have the form that the model expects."
}

/** @param value of the keyword in the schema. */
export const of = (keyword: string, value: Json | undefined): string => {
  switch (keyword) {
    case "type":
      return `Enter ${kindOf(value)}.`
    case "enum":
      return `Choose one of: ${listed(value)}.`
    case "const":
      return `Must be ${listed(value)}.`
    case "minLength":
      return value === 1
        ? "Enter at least one character."
        : `Enter at least ${count(value, "character", "characters")}.`
    case "maxLength":
      return `Enter at most ${count(value, "character", "characters")}.`
    case "minimum":
      return `Enter ${figure(value)} or more.`
    case "maximum":
      return `Enter ${figure(value)} or less.`
    case "exclusiveMinimum":
      return `Enter more than ${figure(value)}.`
    case "exclusiveMaximum":
      return `Enter less than ${figure(value)}.`
    case "multipleOf":
      return `Enter a multiple of ${figure(value)}.`
    case "minItems":
      return `Add at least ${count(value, "item", "items")}.`
    case "maxItems":
      return `Keep at most ${count(value, "item", "items")}.`
    case "uniqueItems":
      return "Remove what is in the list twice."
    case "minProperties":
      return `Fill in at least ${count(value, "field", "fields")}.`
    case "maxProperties":
      return `Fill in at most ${count(value, "field", "fields")}.`
    case "format":
      return `Enter ${formats[String(value)] ?? `a text of the form ${String(value)}`}.`
    case "pattern":
      return pattern(value)
    case "oneOf":
      return "This fits more than one of the variants."
    default:
      return `This breaks the rule "${keyword}".`
  }
}
