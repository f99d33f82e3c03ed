/** What a schema says to people: its description (its title without one), its default, and the bounds that a type cannot say. */
import { Predicate } from "effect"

/** Longer defaults are not shown. */
const longest = 120

/** Paragraphs, as raw text. */
export const docOf = (schema: unknown): ReadonlyArray<string> => {
  if (!Predicate.isObject(schema)) return []
  const { description, title }: Readonly<Record<string, unknown>> = { ...schema }
  const text = [description, title].find((text) => typeof text === "string" && text.trim() !== "")
  const facts = [...bounds({ ...schema }), ...byDefault({ ...schema })].join(" ")
  if (typeof text !== "string") return facts === "" ? [] : [facts]
  if (facts === "") return [text]
  return /[.!?]\s*$/.test(text) ? [`${text.trimEnd()} ${facts}`] : [text, facts]
}

const byDefault = (schema: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  if (schema["default"] === undefined) return []
  const text = JSON.stringify(schema["default"])
  return text.length > longest ? [] : [`Default: ${text}.`]
}

const isBound = (value: unknown): value is number =>
  typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER

const bounds = (schema: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const range = (least: unknown, most: unknown, what: string): ReadonlyArray<string> => {
    if (isBound(least) && isBound(most))
      return [least === most ? `${least}${what}.` : `${least} to ${most}${what}.`]
    if (isBound(least)) return least === 0 && what !== "" ? [] : [`At least ${least}${what}.`]
    return isBound(most) ? [`At most ${most}${what}.`] : []
  }
  return [
    ...range(schema["minimum"], schema["maximum"], ""),
    ...(isBound(schema["exclusiveMinimum"]) ? [`More than ${schema["exclusiveMinimum"]}.`] : []),
    ...(isBound(schema["exclusiveMaximum"]) ? [`Less than ${schema["exclusiveMaximum"]}.`] : []),
    ...range(schema["minLength"], schema["maxLength"], " characters"),
    ...range(schema["minItems"], schema["maxItems"], " items")
  ]
}
