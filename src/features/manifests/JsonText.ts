/** JSON (RFC 8259) with the places of its values: `JSON.parse` tells neither those nor names that are there twice. */
import type { Json } from "#domain/CanonicalJson.ts"
import * as Located from "./Located.ts"
import type { Path } from "./Problem.ts"

const space = /[ \t\n\r]*/y
/** Numbers and words; what `JSON.parse` refuses is refused. */
const bare = /[-+.\w]*/y

/** Fails with `Refused`; linear in the text. */
export const read = (text: string): Located.Located => {
  const budget = new Located.Budget()
  let at = 0

  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [found = ""] = pattern.exec(text) ?? []
    at += found.length
    return found
  }

  const refuse = (expected: string): never => {
    throw new Located.Refused(at < text.length ? expected : "Unexpected end of the JSON", at)
  }

  /** The next mark, if it is this one. */
  const skip = (mark: string): boolean => {
    take(space)
    if (text[at] !== mark) return false
    at += 1
    return true
  }

  const literal = (source: string, start: number): Json => {
    try {
      return JSON.parse(source)
    } catch {
      at = start
      return refuse("Expected JSON")
    }
  }

  const quoted = (): string => {
    const start = at
    if (text[at] !== '"') refuse('Expected JSON: a text in "…"')
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1
    if (at >= text.length) refuse("")
    at += 1
    return String(literal(text.slice(start, at), start))
  }

  const list = (start: number, path: Path): Located.Located => {
    const members: Array<Located.Located> = []
    if (skip("]")) return Located.list(start, members)
    do members.push(value([...path, members.length]))
    while (skip(","))
    if (!skip("]")) refuse("Expected JSON: , or ]")
    return Located.list(start, members)
  }

  const object = (start: number, path: Path): Located.Located => {
    const members = new Map<string, Located.Located>()
    if (skip("}")) return Located.object(start, members)
    do {
      take(space)
      const nameAt = at
      const name = quoted()
      if (members.has(name)) throw new Located.Refused("Map keys must be unique", nameAt)
      budget.spend({ values: 0, characters: name.length }, nameAt)
      if (!skip(":")) refuse("Expected JSON: :")
      members.set(name, { ...value([...path, name]), at: nameAt })
    } while (skip(","))
    if (!skip("}")) refuse("Expected JSON: , or }")
    return Located.object(start, members)
  }

  const value = (path: Path): Located.Located => {
    take(space)
    const start = at
    Located.checkDepth(path.length, 1, start, path)
    if (text[at] === '"') return Located.scalar(quoted(), start, budget)
    if (text[at] === "[" || text[at] === "{") {
      budget.spend({ values: 1, characters: 0 }, start)
      return skip("[") ? list(start, path) : (skip("{"), object(start, path))
    }
    const source = take(bare)
    if (source === "") refuse("Expected JSON")
    const found = literal(source, start)
    if (typeof found === "number" && !Number.isFinite(found)) {
      throw new Located.Refused("Expected a number that JSON has", start, path)
    }
    return Located.scalar(found, start, budget)
  }

  const root = value([])
  take(space)
  if (at < text.length)
    refuse("Expected one JSON value: several in one file are for .yaml, with --- between them")
  return root
}
