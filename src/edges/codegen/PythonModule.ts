/** A module of Python with the imports that its definitions need. */
import * as PythonTypes from "./PythonTypes.ts"

const standard: ReadonlyArray<readonly [module: string, names: ReadonlyArray<string>]> = [
  ["collections.abc", ["Mapping", "Sequence"]],
  ["typing", ["IO", "TYPE_CHECKING", "Any", "Literal", "NoReturn", "TypeAlias", "TypedDict", "cast"]]
]

/** What an input may have in the place of a file's URL: the client uploads it. */
const fileInput = 'FileInput: TypeAlias = "str | os.PathLike[str] | IO[bytes]"\n'

/** What only type checkers need, and older versions of Python do not have. */
const extensions = ["Unpack"]

/** @param own names that `inferlog` exports */
export const text = (
  doc: ReadonlyArray<string>,
  parts: ReadonlyArray<string>,
  own: ReadonlyArray<string> = []
): string => {
  const words = new Set(parts.flatMap((part) => part.match(/\b[A-Za-z_]\w*\b/g) ?? []))
  const hasFiles = words.has("FileInput")
  if (hasFiles) for (const name of ["IO", "TypeAlias", "os"]) words.add(name)
  const isMentioned = (name: string) => words.has(name)
  const hasOptional = isMentioned("NotRequired")
  const checked = extensions.filter(isMentioned)
  const used = own.filter(isMentioned)
  if (hasOptional || checked.length > 0) words.add("TYPE_CHECKING")
  const imports = [
    ...(hasFiles ? ["import os\n"] : []),
    ...(hasOptional ? ["import sys\n"] : []),
    ...standard.flatMap(([module, names]) => {
      const found = names.filter(isMentioned)
      return found.length > 0 ? [`from ${module} import ${found.join(", ")}\n`] : []
    })
  ]
  const blocks = [
    PythonTypes.docString(doc, ""),
    "from __future__ import annotations\n",
    imports.join(""),
    used.length > 0 ? `from inferlog import ${used.join(", ")}\n` : "",
    hasOptional
      ? "if sys.version_info >= (3, 11):\n    from typing import NotRequired\nelif TYPE_CHECKING:\n    from typing_extensions import NotRequired\n"
      : "",
    checked.length > 0 ? `if TYPE_CHECKING:\n    from typing_extensions import ${checked.join(", ")}\n` : ""
  ]
  const head = blocks.filter((block) => block !== "").join("\n")
  return [head, ...(hasFiles ? [fileInput] : []), ...parts].join("\n\n")
}
