/** Types of what the public routes take and answer, for both clients. Written by `npm run docs` from the server's declarations. */
import * as PythonModule from "#src/edges/codegen/PythonModule.ts"
import * as PythonTypes from "#src/edges/codegen/PythonTypes.ts"
import * as TypeScriptTypes from "#src/edges/codegen/TypeScriptTypes.ts"
import * as WireDocument from "./WireDocument.ts"

export const typeScriptFile = "clients/typescript/Wire.ts"
export const pythonFile = "clients/python/src/inferlog/_wire.py"

const about =
  "Bodies and queries of the API as they travel: JSON, with money as decimal text and times as ISO 8601 text."
const origin = "Written by `npm run docs` from the server's declarations."

export const typeScriptText = (): string => {
  const { definitions, inputs } = WireDocument.read()
  const parts = definitions.map((definition) =>
    TypeScriptTypes.definition(definition, { isInput: inputs.has(definition.name) })
  )
  return [`/**\n * ${about}\n * ${origin}\n */\n`, ...parts].join("\n")
}

export const pythonText = (): string => {
  const { definitions, inputs } = WireDocument.read()
  const shapes = new Map(definitions.map(({ name, shape }) => [name, shape]))
  const parts = definitions.map((definition) =>
    PythonTypes.definition(definition, { isInput: inputs.has(definition.name), definitions: shapes })
  )
  return PythonModule.text([about, origin], parts)
}
