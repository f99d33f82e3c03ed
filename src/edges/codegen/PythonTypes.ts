/** Shapes as types of Python 3.10: `TypedDict` for objects, aliases for the rest. The text is deterministic. */
import * as DocText from "./DocText.ts"
import type * as Shape from "./Shape.ts"

const keywords = [
  ..."False None True and as assert async await break class continue def del elif else except finally for from".split(
    " "
  ),
  ..."global if import in is lambda nonlocal not or pass raise return try while with yield match case type _".split(
    " "
  )
]

/** Names that types use. A field with such a name would hide the type from the fields after it. */
const used = [
  ..."str int float bool bytes list dict object None".split(" "),
  ..."Any IO Literal Mapping NotRequired PathLike Sequence TypeAlias TypedDict FileInput TYPE_CHECKING sys".split(
    " "
  )
]

/** Names that a definition must not have. */
export const reserved: ReadonlyArray<string> = [...keywords, ...used]

export interface Style {
  /** What a caller passes: any sequence and mapping will do. */
  readonly isInput: boolean
  readonly definitions: ReadonlyMap<string, Shape.Shape>
}

const width = 96

const safe = (line: string): string =>
  line.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"').replace(/"$/, '\\"')

/** A doc string, or nothing. */
export const docString = (doc: ReadonlyArray<string>, indent: string): string => {
  const lines = DocText.lines(doc, width - indent.length).map(safe)
  if (lines.length <= 1) return lines.map((line) => `${indent}"""${line}"""\n`).join("")
  return `${indent}"""${lines.map((line, index) => (index === 0 || line === "" ? line : `${indent}${line}`)).join("\n")}\n${indent}"""\n`
}

const comment = (doc: ReadonlyArray<string>, indent: string): string =>
  DocText.lines(doc, width - indent.length)
    // `# type:` has an effect on type checkers.
    .map(
      (line) =>
        `${indent}# ${line.replaceAll(/\b(type|mypy|pyright|noqa|fmt)\s*:/gi, "$1 :")}`.trimEnd() + "\n"
    )
    .join("")

export const definition = ({ doc, name, shape }: Shape.Definition, style: Style): string => {
  const whole = objectOf(shape, style.definitions)
  if (whole === null || (whole.fields.length === 0 && whole.rest !== null))
    return `${comment(doc, "")}${name}: TypeAlias = ${alias(name, shape, style)}\n`
  // A further field cannot be typed, so the fields that have no name make it an ordinary mapping as well.
  // No other definition begins with an underscore.
  if (whole.rest === null) return typedDict(name, doc, whole.fields, style)
  const named = `_${name}`
  return `${typedDict(named, [], whole.fields, style)}\n\n${comment(doc, "")}${name}: TypeAlias = ${DocText.quoted(`${named} | ${dictionary("Any", style)}`)}\n`
}

/** Other definitions may come later in the file, so that types that mention one are a text. */
const alias = (name: string, shape: Shape.Shape, style: Style): string => {
  const text = type(shape, style)
  const members = shape._tag === "Union" ? shape.members : [shape]
  const values = members.flatMap((member) => (member._tag === "Literal" ? [member.value] : []))
  if (values.length < members.length || values.some(isFloat)) return DocText.quoted(text)
  if (name.length + text.length < width - 13) return text
  return `Literal[\n${values.map((value) => `    ${literal(value)},\n`).join("")}]`
}

const typedDict = (
  name: string,
  doc: ReadonlyArray<string>,
  fields: ReadonlyArray<Shape.Field>,
  style: Style
): string => {
  if (fields.every(({ name }) => canBeDeclared(name, style))) {
    const lines = fields.map(
      (field) => `    ${field.name}: ${fieldType(field, style)}\n${docString(field.doc, "    ")}`
    )
    const body = `${docString(doc, "    ")}${doc.length > 0 && fields.length > 0 ? "\n" : ""}${lines.join("")}`
    return `class ${name}(TypedDict):\n${body === "" ? "    pass\n" : body}`
  }
  const lines = fields.map(
    (field) =>
      `${comment(field.doc, "        ")}        ${DocText.quoted(field.name)}: ${DocText.quoted(fieldType(field, style))},\n`
  )
  return `${comment(doc, "")}${name} = TypedDict(\n    ${DocText.quoted(name)},\n    {\n${lines.join("")}    },\n)\n`
}

const canBeDeclared = (name: string, { definitions }: Style): boolean =>
  /^[A-Za-z]\w*$/.test(name) &&
  !keywords.includes(name) &&
  !used.includes(name) &&
  !definitions.has(name) &&
  !name.startsWith("__")

const fieldType = ({ isRequired, shape }: Shape.Field, style: Style): string =>
  isRequired ? type(shape, style) : `NotRequired[${type(shape, style)}]`

/** The fields of an object, also of one that consists of several; null when it is no object. */
const objectOf = (
  shape: Shape.Shape,
  definitions: Style["definitions"]
): (Shape.Shape & { readonly _tag: "Fields" }) | null => {
  if (shape._tag === "Fields") return shape
  if (shape._tag !== "All") return null
  const fields = new Map<string, Shape.Field>()
  for (const member of shape.members) {
    const target = member._tag === "Named" ? definitions.get(member.name) : member
    const part = target === undefined ? null : objectOf(target, definitions)
    if (part === null) return null
    for (const field of part.fields)
      if (!fields.has(field.name) || field.isRequired) fields.set(field.name, field)
  }
  return { _tag: "Fields", fields: [...fields.values()], rest: null }
}

const dictionary = (value: string, { isInput }: Style) =>
  isInput ? `Mapping[str, ${value}]` : `dict[str, ${value}]`

const type = (shape: Shape.Shape, style: Style): string => {
  switch (shape._tag) {
    case "Unknown":
      return "Any"
    case "Never":
      return "NoReturn"
    case "Scalar":
      return { string: "str", number: "float", integer: "int", boolean: "bool", null: "None" }[shape.name]
    case "Literal":
      return literals([shape.value])
    case "File":
      return style.isInput ? "FileInput" : "str"
    case "Named":
      return shape.name
    case "List":
      return list(type(shape.item, style), style)
    case "Tuple": {
      const parts = [...shape.items, ...(shape.rest === null ? [] : [shape.rest])]
      return list(union(parts, style), style)
    }
    case "Fields":
      return dictionary(shape.rest === null ? "Any" : type(shape.rest, style), style)
    case "Union":
      return union(shape.members, style)
    case "All":
      // Not an object as a whole: the first part is as wide as all of them, or wider.
      return shape.members[0] === undefined ? "Any" : type(shape.members[0], style)
  }
}

const list = (item: string, { isInput }: Style) => (isInput ? `Sequence[${item}]` : `list[${item}]`)

const union = (members: ReadonlyArray<Shape.Shape>, style: Style): string => {
  const values = members.flatMap((member) => (member._tag === "Literal" ? [member.value] : []))
  const others = members.flatMap((member) => (member._tag === "Literal" ? [] : [type(member, style)]))
  return [...new Set([...(values.length > 0 ? [literals(values)] : []), ...others])].join(" | ")
}

const isFloat = (value: unknown): boolean => typeof value === "number" && !Number.isSafeInteger(value)

/** `Literal` has no floating-point numbers. */
const literals = (values: ReadonlyArray<string | number | boolean>): string => {
  const exact = values.filter((value) => !isFloat(value)).map(literal)
  const parts = exact.length > 0 ? [`Literal[${exact.join(", ")}]`] : []
  return [...parts, ...(values.some(isFloat) ? ["float"] : [])].join(" | ")
}

const literal = (value: string | number | boolean): string => {
  // Type checkers look for `# type:` in types that are texts, too.
  if (typeof value === "string") return DocText.quoted(value).replaceAll(/#(?=\s*type)/g, "\\u0023")
  if (typeof value === "number") return String(value)
  return value ? "True" : "False"
}
