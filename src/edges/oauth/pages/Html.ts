/** HTML templates: inserted values are escaped as text, unless the same template made them. */

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

/** Unescaped markup. For constants only, never for external values. */
export const raw = (text: string): Html => ({ [made]: true, text })

/** Values are safe in the text of elements and in double-quoted attributes only. `null` inserts nothing. */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  raw(
    strings.reduce((text, string, index) => {
      const part = parts[index - 1]
      return text + (part === undefined ? "" : toText(part)) + string
    }, "")
  )
