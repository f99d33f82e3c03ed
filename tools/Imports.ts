/** Which files load which, read from their text: a compiler would take a minute for what this takes a fifth of a second. */
import * as path from "node:path"

export type Graph = ReadonlyMap<string, ReadonlySet<string>>

const specifier = /\b(?:from|import)\s*\(?\s*"(#|\.{1,2}\/)([^"]+\.(?:tsx?|js))"/g

/** The files that a file imports, types included, as paths from the root of the repository. */
export const importsOf = (file: string, text: string): ReadonlySet<string> => {
  const folder = path.posix.dirname(file)
  const imports = [...text.matchAll(specifier)].map(([, kind = "", target = ""]) =>
    kind === "#" ? target : path.posix.join(folder, kind + target)
  )
  return new Set(imports)
}

/** The text without the statements that import or re-export types alone, which no run loads. */
export const withoutTypes = (text: string): string =>
  text.replaceAll(/^(?:import|export) type [^"=]*"[^"]+"$/gm, "")

const entry = /new URL\(\s*"(\.{1,2}\/[^"]+\.(?:ts|js))",\s*import\.meta\.url\s*\)/g

/** The files that a file starts as threads or processes, by their address relative to its own. */
export const entriesOf = (file: string, text: string): ReadonlySet<string> => {
  const folder = path.posix.dirname(file)
  return new Set([...text.matchAll(entry)].map(([, target = ""]) => path.posix.join(folder, target)))
}

/** The packages of this repository, which files import by name. */
const packages: Readonly<Record<string, string>> = {
  "@inferlog/client": "clients/typescript/index.ts",
  "@inferlog/client/effect": "clients/typescript/effect/Client.ts",
  "@inferlog/client/node": "clients/typescript/node/File.ts",
  "@inferlog/react": "clients/react/index.ts"
}

/** What a run of the file loads or starts directly. */
export const loadsOf = (file: string, text: string): ReadonlySet<string> => {
  const values = withoutTypes(text)
  const named = [...values.matchAll(/\b(?:from|import)\s*\(?\s*"(@inferlog\/[^"]+)"/g)].flatMap(
    ([, name = ""]) => packages[name] ?? []
  )
  return new Set([...importsOf(file, values), ...entriesOf(file, values), ...named])
}

export const reversed = (graph: Graph): Graph => {
  const importers = new Map<string, Set<string>>()
  for (const [file, imports] of graph) {
    for (const imported of imports) {
      const known = importers.get(imported)
      if (known === undefined) importers.set(imported, new Set([file]))
      else known.add(file)
    }
  }
  return importers
}

/** How many steps each file is away from the nearest of `from`, which are 0 away. Files that no step reaches are left out. */
export const distances = (graph: Graph, from: Iterable<string>): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const file of from) found.set(file, 0)
  // A map visits what is added while it is visited.
  for (const [file, distance] of found) {
    for (const next of graph.get(file) ?? []) if (!found.has(next)) found.set(next, distance + 1)
  }
  return found
}
