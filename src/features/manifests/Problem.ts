/** What is wrong, or doubtful, with a manifest. Nothing in it repeats a secret: values of manifests are not shown. */

/** From the document's root: names of fields and indexes. */
export type Path = ReadonlyArray<string | number>

/** Both from 1. */
export interface Location {
  readonly line: number
  readonly column: number
}

export interface Problem extends Location {
  /** A definition with an error is not published; one with warnings is. */
  readonly severity: "error" | "warning"
  /** As it was named, or found below a folder that was. */
  readonly file: string
  /** `providers[0].url`; empty for the document as a whole. */
  readonly path: string
  readonly message: string
}

export const isError = ({ severity }: Problem): boolean => severity === "error"

/** A name that is no identifier is quoted. */
export const pathText = (path: Path): string =>
  path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`
      if (!/^[\w$-]+$/.test(step)) return `[${JSON.stringify(step.slice(0, 64))}]`
      return index === 0 ? step : `.${step}`
    })
    .join("")

/** `models/flux.yaml:12:5: providers[0].url: Expected …`, as editors and terminals make links of it. */
export const text = ({ column, file, line, message, path }: Problem): string =>
  `${file}:${line}:${column}: ${path === "" ? "" : `${path}: `}${message}`

const order = (a: Problem, b: Problem): number =>
  (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column

/** By file and place. */
export const sorted = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> => problems.toSorted(order)
