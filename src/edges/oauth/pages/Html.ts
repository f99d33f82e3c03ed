/** HTML as a template: whatever is put into it is text, unless it was made by the same template. */

const made: unique symbol = Symbol("inferlog/src/edges/oauth/pages/Html")

export interface Html {
  readonly [made]: true
  readonly text: string
}

type Part = string | number | Html | null | ReadonlyArray<Html>

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? "")

const isHtml = (part: Part): part is Html => typeof part === "object" && part !== null && made in part

const toText = (part: Part): string => {
  if (part === null) return ""
  if (isHtml(part)) return part.text
  return typeof part === "object" ? part.map(({ text }) => text).join("") : escape(String(part))
}

/** Markup as it is. Only of constants: nothing that comes from outside may be in it. */
export const raw = (text: string): Html => ({ [made]: true, text })

/** In the text of elements, and in attributes in double quotes; no other place is safe. `null` is nothing. */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  raw(
    strings.reduce((text, string, index) => {
      const part = parts[index - 1]
      return text + (part === undefined ? "" : toText(part)) + string
    }, "")
  )
