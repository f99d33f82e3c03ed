/** Finds the sources of a bundle's lines. The bundler names each module in a comment above it. */
import * as fs from "node:fs"

const moduleComment = /^\/\/ ((?:domain|streams|projections|src|node_modules)\/\S+)$/

const modulesOf = (file: string): ReadonlyArray<string> => {
  let current = file
  return fs
    .readFileSync(file, "utf8")
    .split("\n")
    .map((line) => (current = moduleComment.exec(line)?.[1] ?? current))
}

/** Returns a look-up of a module by file and line (from 0). Reads each file once. */
export const sources = () => {
  const known = new Map<string, ReadonlyArray<string>>()
  return (file: string, line: number): string => {
    const modules = known.get(file) ?? (fs.existsSync(file) ? modulesOf(file) : [])
    known.set(file, modules)
    return modules[line] ?? file
  }
}
