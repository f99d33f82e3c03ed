/**
 * Fills in the template of a wrapper. Safe against injection: the template stays a JSON tree, only the template is
 * searched for placeholders, once, and values become whole values or parts of strings, never member names.
 */
import { isList, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"

/** The most characters of all filled-in values, so that a long value in many places does not fill the memory. */
export const longestRendered = 10 * 1_024 * 1_024

const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g
const onlyPlaceholder = /^\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}$/

/** The names of the placeholders in a template. */
export const placeholders = (template: Json): ReadonlySet<string> => {
  const names = new Set<string>()
  const visit = (node: Json): void => {
    if (typeof node === "string") for (const [, name = ""] of node.matchAll(placeholder)) names.add(name)
    else if (node !== null && typeof node === "object") Object.values(node).forEach(visit)
  }
  visit(template)
  return names
}

/** A value within a longer text. */
const textOf = (value: Json | undefined): string => {
  if (value === undefined || value === null) return ""
  return typeof value === "object" ? JsonText.write(value) : String(value)
}

/**
 * A member or element whose value is missing is left out; in a text it is empty. `null` beyond `longestRendered`.
 *
 * @param defaults for names that `values` does not have.
 */
export const render = (template: JsonObject, values: JsonObject, defaults: JsonObject = {}): Json | null => {
  let left = longestRendered
  const valueOf = (name: string): Json | undefined =>
    JsonText.member(Object.hasOwn(values, name) ? values : defaults, name)

  const sizes = new Map<string, number>()
  /** Characters of any value, computed once. */
  const sizeOf = (name: string): number => {
    const known = sizes.get(name)
    if (known !== undefined) return known
    const value = valueOf(name)
    const size =
      typeof value === "string" ? value.length : value === undefined ? 0 : JsonText.write(value).length
    sizes.set(name, size)
    return size
  }

  const ofText = (text: string): Json | undefined => {
    const only = onlyPlaceholder.exec(text)
    if (only !== null) {
      const name = only[1] ?? ""
      left -= sizeOf(name)
      return valueOf(name)
    }
    return text.replace(placeholder, (_whole, name: string) => {
      const part = left < 0 ? "" : textOf(valueOf(name))
      left -= part.length
      return part
    })
  }

  const visit = (node: Json): Json | undefined => {
    if (typeof node === "string") return ofText(node)
    if (node === null || typeof node !== "object") return node
    if (isList(node)) return node.map(visit).filter((element) => element !== undefined)
    const members = Object.entries(node).flatMap(([name, member]) => {
      const value = visit(member)
      return value === undefined ? [] : [[name, value] as const]
    })
    return Object.fromEntries(members)
  }

  const rendered = visit(template) ?? null
  return left < 0 ? null : rendered
}
