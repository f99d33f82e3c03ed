/** Arguments that make up the input of a model: JSON objects, and single fields. */
import { Option, Predicate } from "effect"

export type InputPart =
  | { readonly _tag: "Json"; readonly text: string }
  /** A file with a JSON object; `-` for stdin. */
  | { readonly _tag: "JsonFile"; readonly file: string }
  | Field

export interface Field {
  readonly _tag: "Field"
  /** As written. */
  readonly name: string
  /** Names from the outermost object on. */
  readonly path: readonly [string, ...Array<string>]
  /** Whether the value is one more of a list: `name[]=value`. */
  readonly isItem: boolean
  readonly value: string
}

export const parse = (text: string): Option.Option<InputPart> => {
  if (text.startsWith("{")) return Option.some({ _tag: "Json", text })
  if (text.startsWith("@")) {
    return text === "@" ? Option.none() : Option.some({ _tag: "JsonFile", file: text.slice(1) })
  }
  const [, name = "", list, value = ""] = /^([^=\s[\]]+)(\[\])?=(.*)$/s.exec(text) ?? []
  const [first = "", ...others] = name.split(".")
  if ([first, ...others].includes("")) return Option.none()
  const path = [first, ...others] as const
  return Option.some({ _tag: "Field", name, path, isItem: list !== undefined, value })
}

export const expected = (): string =>
  `Expected key=value, key=@file, '{"key":…}', @file.json, or @- for stdin`

export type JsonObject = Readonly<Record<string, unknown>>

/** The object with a value at the field. Objects on the way are made. */
export const set = (
  object: JsonObject,
  { isItem, path }: Pick<Field, "isItem" | "path">,
  value: unknown
): JsonObject => {
  const [name, next, ...others] = path
  const before = Object.hasOwn(object, name) ? object[name] : undefined
  const inner = () =>
    set(Predicate.isObject(before) ? before : {}, { isItem, path: [next ?? "", ...others] }, value)
  const item = () => (Array.isArray(before) ? [...(before as ReadonlyArray<unknown>), value] : [value])
  return { ...object, [name]: next !== undefined ? inner() : isItem ? item() : value }
}
