/** Values of a document with their places in the text, and limits for one text. */
import { LineCounter } from "yaml"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Path, Location } from "./Diagnostic.ts"

export interface Located {
  /** The JSON text of a value without members: numbers keep their digits. Empty for other values. */
  readonly text: string
  /** Characters from the start of the text. For a member of an object: the place of its name. */
  readonly at: number
  readonly members: ReadonlyMap<string, Located> | ReadonlyArray<Located> | null
  /** Nesting depth: 1 for a value without members. */
  readonly levels: number
  readonly size: Size
}

/** Size when written without aliases. */
interface Size {
  readonly values: number
  readonly characters: number
}

/** A fault in the text, with its place. */
export class Refused extends Error {
  readonly at: number
  readonly path: Path
  constructor(message: string, at: number, path: Path = []) {
    super(message)
    this.at = at
    this.path = path
  }
}

const deepest = 64
export const tooDeep = `Expected at most ${deepest} levels`

/** Limits of one text, with aliases counted in full. */
const most: Size = { values: 200_000, characters: 2 * 1_024 * 1_024 }

/** Counts while a text is read, so that no larger value is ever made. */
export class Budget {
  private values = 0
  private characters = 0

  spend({ characters, values }: Size, at: number): void {
    this.values += values
    this.characters += characters
    if (this.values > most.values) throw new Refused(`Expected at most ${most.values} values`, at)
    if (this.characters > most.characters) {
      throw new Refused(`Expected at most ${most.characters} characters, with what aliases repeat`, at)
    }
  }
}

/** @param depth of the values around it. */
export const checkDepth = (depth: number, levels: number, at: number, path: Path): void => {
  if (depth + levels > deepest) throw new Refused(tooDeep, at, path.slice(0, 8))
}

const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/

/** @param source as the document writes it. */
export const scalar = (value: Json, source: string, at: number, budget: Budget): Located => {
  const size = { values: 1, characters: typeof value === "string" ? value.length : 0 }
  budget.spend(size, at)
  const text = typeof value === "number" && number.test(source) ? source : JSON.stringify(value)
  return { text, at, members: null, levels: 1, size }
}

const around = (at: number, members: Map<string, Located> | Array<Located>): Located => {
  let levels = 0
  let values = 1
  let characters = 0
  for (const member of members.values()) {
    levels = Math.max(levels, member.levels)
    values += member.size.values
    characters += member.size.characters
  }
  if (!Array.isArray(members)) for (const name of members.keys()) characters += name.length
  return { text: "", at, members, levels: levels + 1, size: { values, characters } }
}

/** For members that were counted. */
export const list = (at: number, members: Array<Located>): Located => around(at, members)

/** For members that were counted. */
export const object = (at: number, members: Map<string, Located>): Located => around(at, members)

/** The JSON text, without blanks. */
export const textOf = ({ members, text }: Located): string => {
  if (members === null) return text
  return members instanceof Map
    ? `{${Array.from(members, ([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join(",")}}`
    : `[${Array.from(members.values(), textOf).join(",")}]`
}

/** The place of the value at a path, or of its nearest ancestor. */
export const find = (root: Located, path: Path): Located => {
  let found = root
  for (const step of path) {
    const { members } = found
    const next = Array.isArray(members)
      ? members[Number(step)]
      : members instanceof Map
        ? members.get(String(step))
        : undefined
    if (next === undefined) break
    found = next
  }
  return found
}

/** Where lines begin. */
export const linesOf = (text: string): LineCounter => {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) lines.addNewLine(end + 1)
  return lines
}

export const placeIn = (lines: LineCounter, at: number): Location => {
  const { col, line } = lines.linePos(at)
  return { line: Math.max(line, 1), column: Math.max(col, 1) }
}
