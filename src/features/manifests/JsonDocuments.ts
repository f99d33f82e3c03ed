/** A JSON file: one value. */
import * as Located from "./Located.ts"
import * as ManifestDocument from "./ManifestDocument.ts"
import { printParseErrorCode, visit } from "jsonc-parser"
import type { Json } from "#domain/CanonicalJson.ts"

/** Messages by the parser's error codes. Every other code is "Expected JSON". */
const messages: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'Expected JSON: a text in "…"',
  ColonExpected: "Expected JSON: :",
  CommaExpected: "Expected JSON: , or ",
  CloseBraceExpected: "Expected JSON: , or }",
  CloseBracketExpected: "Expected JSON: , or ]",
  EndOfFileExpected: "Expected one JSON value: several in one file are for .yaml, with --- between them"
}

/** An object or array whose end has not been read. */
interface Container {
  readonly at: number
  readonly members: Map<string, Located.Located> | Array<Located.Located>
  /** The member of an object that is being read. */
  property: { readonly name: string; readonly at: number }
}

/** Throws `Located.Refused` at the first fault. */
const read = (text: string): Located.Located => {
  const budget = new Located.Budget()
  const containers: Array<Container> = []
  let root: Located.Located | undefined

  const add = (value: Located.Located) => {
    const container = containers.at(-1)
    if (container === undefined) root = value
    else if (Array.isArray(container.members)) container.members.push(value)
    else container.members.set(container.property.name, { ...value, at: container.property.at })
  }

  const begin = (at: number, path: ReadonlyArray<string | number>, members: Container["members"]) => {
    Located.checkDepth(containers.length, 1, at, path)
    budget.spend({ values: 1, characters: 0 }, at)
    containers.push({ at, members, property: { name: "", at } })
  }

  const end = () => {
    const container = containers.pop()
    if (container === undefined) return
    const { at, members } = container
    add(Array.isArray(members) ? Located.list(at, members) : Located.object(at, members))
  }

  visit(
    text,
    {
      onObjectBegin: (at, _length, _line, _character, path) => begin(at, path(), new Map()),
      onObjectProperty: (name, at) => {
        const container = containers.at(-1)
        if (container === undefined || Array.isArray(container.members)) return
        if (container.members.has(name)) throw new Located.Refused("Map keys must be unique", at)
        budget.spend({ values: 0, characters: name.length }, at)
        container.property = { name, at }
      },
      onObjectEnd: end,
      onArrayBegin: (at, _length, _line, _character, path) => begin(at, path(), []),
      onArrayEnd: end,
      onLiteralValue: (value: Json, at, length, _line, _character, path) => {
        Located.checkDepth(containers.length, 1, at, path())
        if (typeof value === "number" && !Number.isFinite(value)) {
          throw new Located.Refused("Expected a number that JSON has", at, path())
        }
        add(Located.scalar(value, text.slice(at, at + length), at, budget))
      },
      onError: (code, at) => {
        const name = printParseErrorCode(code)
        if (at >= text.length || name === "UnexpectedEndOfString") {
          throw new Located.Refused("Unexpected end of the JSON", text.length)
        }
        const isArray = Array.isArray(containers.at(-1)?.members)
        const close = name === "CommaExpected" ? (isArray ? "]" : "}") : ""
        throw new Located.Refused((messages[name] ?? "Expected JSON") + close, at)
      }
    },
    { disallowComments: true, allowTrailingComma: false }
  )
  if (root === undefined) throw new Located.Refused("Unexpected end of the JSON", text.length)
  return root
}

export const parse = (text: string): ManifestDocument.Parsed => {
  const lines = Located.linesOf(text)
  try {
    return { documents: [ManifestDocument.make(read(text), lines)], errors: [] }
  } catch (cause) {
    return { documents: [], errors: [ManifestDocument.errorOf(cause, lines)] }
  }
}
