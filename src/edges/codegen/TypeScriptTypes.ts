/** Shapes as types of TypeScript. The text is deterministic and formatted. */
import * as DocText from "./DocText.ts"
import type * as Shape from "./Shape.ts"

/** Names that a type must not have: words of the language, and the types that generated code mentions. */
export const reserved: ReadonlyArray<string> = [
  ..."any as async await bigint boolean break case catch class const continue debugger default delete do else enum".split(
    " "
  ),
  ..."export extends false finally for function if implements import in instanceof interface let never new null".split(
    " "
  ),
  ..."number object package private protected public return static string super switch symbol this throw true".split(
    " "
  ),
  ..."try type typeof undefined unknown var void while with yield arguments eval".split(" "),
  ..."Array ReadonlyArray Record Blob File Promise AsyncIterable Object Function".split(" ")
]

export interface Style {
  /** What a caller passes: read-only, and fields may be given as `undefined`. */
  readonly isInput: boolean
}

const width = 100

/** @param indent spaces before each line */
export const comment = (doc: ReadonlyArray<string>, indent = ""): string => {
  const lines = DocText.lines(doc, width - indent.length).map((line) =>
    // `@ts-ignore` and its kind have an effect in comments, too.
    line.replaceAll("*/", "*\\/").replaceAll("@ts-", "@ ts-")
  )
  const [first] = lines
  if (first === undefined) return ""
  if (lines.length === 1) return `${indent}/** ${first} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
}

export const definition = ({ doc, name, shape }: Shape.Definition, style: Style): string => {
  const before = comment(doc)
  if (shape._tag === "Fields" && shape.fields.length > 0)
    return `${before}export interface ${name} ${object(shape, style)}\n`
  const text = type(shape, style)
  const isLong = shape._tag === "Union" && name.length + text.length > width - 15
  const members = shape._tag === "Union" ? shape.members.map((member) => operand(member, style)) : []
  return isLong
    ? `${before}export type ${name} =\n${members.map((member) => `  | ${member}`).join("\n")}\n`
    : `${before}export type ${name} = ${text}\n`
}

export const key = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) && name !== "constructor" ? name : DocText.quoted(name)

const object = ({ fields, rest }: Shape.Shape & { readonly _tag: "Fields" }, style: Style): string => {
  const { isInput } = style
  const lines = fields.map(({ doc, isRequired, name, shape }) => {
    const value = type(shape, style)
    const end = isInput && !isRequired && value !== "unknown" ? " | undefined" : ""
    return `${comment(doc, "  ")}  ${isInput ? "readonly " : ""}${key(name)}${isRequired ? "" : "?"}: ${value}${end}\n`
  })
  // A signature holds for the named fields as well.
  const more = rest === null ? [] : [`  ${signature("unknown", style)}\n`]
  return `{\n${[...lines, ...more].join("")}}`
}

const signature = (value: string, { isInput }: Style): string =>
  `${isInput ? "readonly " : ""}[key: string]: ${value}`

/** Part of a larger type: in parentheses where it needs them. */
const operand = (shape: Shape.Shape, style: Style): string => {
  const text = type(shape, style)
  const isSimple = !["Union", "All", "File", "Tuple"].includes(shape._tag)
  return isSimple ? text : `(${text})`
}

/** The type on one line. */
export const type = (shape: Shape.Shape, style: Style): string => {
  switch (shape._tag) {
    case "Unknown":
      return "unknown"
    case "Never":
      return "never"
    case "Scalar":
      return shape.name === "integer" ? "number" : shape.name
    case "Literal":
      return typeof shape.value === "string" ? DocText.quoted(shape.value) : String(shape.value)
    case "File":
      return style.isInput ? "string | Blob" : "string"
    case "Named":
      return shape.name
    case "List":
      return style.isInput ? `ReadonlyArray<${type(shape.item, style)}>` : `Array<${type(shape.item, style)}>`
    case "Tuple":
      return tuple(shape, style)
    case "Fields":
      // Fields are in an interface of their own. Unlike `Record`, a signature may mention the type that it is part of.
      return shape.rest === null
        ? "Record<string, never>"
        : `{ ${signature(type(shape.rest, style), style)} }`
    case "Union":
      return shape.members.map((member) => operand(member, style)).join(" | ")
    case "All":
      return shape.members.map((member) => operand(member, style)).join(" & ")
  }
}

const tuple = ({ items, least, rest }: Shape.Shape & { readonly _tag: "Tuple" }, style: Style): string => {
  const parts = items.map((item, index) => {
    const text = operand(item, style)
    return index < least ? text : `${text}?`
  })
  const more = rest === null ? [] : [`...Array<${type(rest, style)}>`]
  return `${style.isInput ? "readonly " : ""}[${[...parts, ...more].join(", ")}]`
}
