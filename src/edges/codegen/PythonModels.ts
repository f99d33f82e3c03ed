/** `inferlog codegen --lang py`: the types and functions of a catalog's models for the Python package `inferlog`. */
import * as DocText from "./DocText.ts"
import { Names, snake } from "./Identifiers.ts"
import * as ModelTypes from "./ModelTypes.ts"
import * as PythonModule from "./PythonModule.ts"
import * as PythonTypes from "./PythonTypes.ts"

const imported = [
  "AsyncInferlog",
  "AsyncStream",
  "Inferlog",
  "OutputEvent",
  "RunOptions",
  "Stream",
  "StreamOptions"
]
const others = ["Unpack", "cast", "os", "annotations", "inferlog", "input", "options"]

export const text = (source: ModelTypes.Source): string => {
  const names = [...PythonTypes.reserved, ...imported, ...others]
  const models = ModelTypes.typed(source.models, names)
  const definitions = new Map(
    models
      .flatMap(({ inputs, outputs }) => [...inputs, ...outputs])
      .map(({ name, shape }) => [name, shape] as const)
  )
  const functions = new Names(names)
  const parts = models.flatMap((model) => [
    ...model.inputs.map((definition) => PythonTypes.definition(definition, { isInput: true, definitions })),
    ...model.outputs.map((definition) => PythonTypes.definition(definition, { isInput: false, definitions })),
    ...functionsOf(model, functions)
  ])
  return PythonModule.text(ModelTypes.header(source), parts, imported)
}

const functionsOf = (
  { chunk, input, inputs, model, output }: ModelTypes.TypedModel,
  functions: Names
): ReadonlyArray<string> => {
  const isObject = inputs[0]?.shape._tag === "Fields"
  const name = functions.take(snake(model.modelEndpoint))
  const endpoint = DocText.quoted(model.modelEndpoint)
  const doc = PythonTypes.docString(
    [
      ...(model.isDeprecated ? ["Deprecated: it still runs, but should not be used any more."] : []),
      model.description
    ],
    "    "
  )
  const signature = (kind: string, name: string, client: string, options: string, result: string) =>
    `${kind} ${name}(\n    inferlog: ${client}, input: ${input}, **options: Unpack[${options}]\n) -> ${result}:\n`
  // A request takes objects only; a schema that forgets to say so is taken at its word by its type alone.
  const given = isObject ? "input" : 'cast("Any", input)'
  const run = [
    `${signature("def", name, "Inferlog", "RunOptions", output)}${doc}    return cast(${DocText.quoted(output)}, inferlog.run(${endpoint}, ${given}, **options))\n`,
    `${signature("async def", functions.take(`${name}_async`), "AsyncInferlog", "RunOptions", output)}${doc}    return cast(${DocText.quoted(output)}, await inferlog.run(${endpoint}, ${given}, **options))\n`
  ]
  if (chunk === null) return run
  const about = PythonTypes.docString([`The output of \`${name}\` as it is made.`], "    ")
  const call = `    return inferlog.stream(${endpoint}, ${given}, **options)\n`
  return [
    ...run,
    `${signature("def", functions.take(`${name}_stream`), "Inferlog", "StreamOptions", "Stream[OutputEvent]")}${about}${call}`,
    `${signature("def", functions.take(`${name}_stream_async`), "AsyncInferlog", "StreamOptions", "AsyncStream[OutputEvent]")}${about}${call}`
  ]
}
