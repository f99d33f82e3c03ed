/** An error or warning about a manifest. Contains no values of manifests, because they may be secrets. */

/** From the document's root: field names and indexes. */
export type Path = ReadonlyArray<string | number>

/** Both from 1. */
export interface Location {
  readonly line: number
  readonly column: number
}

export interface Diagnostic extends Location {
  /** A definition with an error is not published; one with warnings is. */
  readonly severity: "error" | "warning"
  /** As named, or below a named folder. */
  readonly file: string
  /** `providers[0].url`; empty for the whole document. */
  readonly path: string
  readonly message: string
}

export const isError = ({ severity }: Diagnostic): boolean => severity === "error"

/** Quotes a name that is not an identifier. */
export const pathText = (path: Path): string =>
  path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`
      if (!/^[\w$-]+$/.test(step)) return `[${JSON.stringify(step.slice(0, 64))}]`
      return index === 0 ? step : `.${step}`
    })
    .join("")

/** `models/flux.yaml:12:5: providers[0].url: Expected …`, a form that editors and terminals link. */
export const text = ({ column, file, line, message, path }: Diagnostic): string =>
  `${file}:${line}:${column}: ${path === "" ? "" : `${path}: `}${message}`

const order = (a: Diagnostic, b: Diagnostic): number =>
  (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column

/** By file and place. */
export const sorted = (diagnostics: ReadonlyArray<Diagnostic>): ReadonlyArray<Diagnostic> =>
  diagnostics.toSorted(order)
