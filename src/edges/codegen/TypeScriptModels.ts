/** `inferlog codegen --lang ts`: the types and functions of a catalog's models for `@inferlog/client`. */
import * as DocText from "./DocText.ts"
import { camel, Names } from "./Identifiers.ts"
import * as ModelTypes from "./ModelTypes.ts"
import * as TypeScriptTypes from "./TypeScriptTypes.ts"

const imported = ["Inferlog", "RunOptions", "StreamOptions", "OutputEvent"]

export const text = (source: ModelTypes.Source): string => {
  const models = ModelTypes.typed(source.models, [...TypeScriptTypes.reserved, ...imported, "Models"])
  const functions = new Names(TypeScriptTypes.reserved)
  const parts = models.map((model) => ofModel(model, functions))
  const streams = models.some(({ chunk }) => chunk !== null)
  const names = streams ? imported : imported.slice(0, 2)
  return [
    TypeScriptTypes.comment(ModelTypes.header(source)),
    models.length > 0 ? `import type { ${names.toSorted().join(", ")} } from "@inferlog/client"\n` : "",
    `${TypeScriptTypes.comment(["What each model takes and gives: `new Inferlog<Models>({ … })`."])}export interface Models {\n${models.map(entry).join("")}}\n`,
    ...parts
  ]
    .filter((part) => part !== "")
    .join("\n")
}

const output = { isInput: false }

const entry = ({ chunk, input, model, output: whole }: ModelTypes.TypedModel): string => {
  const part = chunk === null ? "" : `; chunk: ${TypeScriptTypes.type(chunk, output)}`
  return `  ${DocText.quoted(model.modelEndpoint)}: { input: ${input}; output: ${whole}${part} }\n`
}

const ofModel = (typed: ModelTypes.TypedModel, functions: Names): string => {
  const { chunk, input, inputs, model, output: whole, outputs } = typed
  const name = functions.take(camel(model.modelEndpoint))
  const doc = TypeScriptTypes.comment([
    model.description,
    ...(model.isDeprecated ? ["@deprecated It still runs, but should not be used any more."] : [])
  ])
  const endpoint = DocText.quoted(model.modelEndpoint)
  const run = `${doc}export const ${name} = (
  inferlog: Inferlog<Models>,
  input: ${input},
  options?: RunOptions
): Promise<${whole}> => inferlog.run(${endpoint}, input, options)
`
  const stream =
    chunk === null
      ? []
      : [
          `/** The output of \`${name}\` as it is made. */
export const ${functions.take(`${name}Stream`)} = (
  inferlog: Inferlog<Models>,
  input: ${input},
  options?: StreamOptions
): AsyncIterable<OutputEvent<${TypeScriptTypes.type(chunk, output)}>> => inferlog.stream(${endpoint}, input, options)
`
        ]
  return [
    ...inputs.map((definition) => TypeScriptTypes.definition(definition, { isInput: true })),
    ...outputs.map((definition) => TypeScriptTypes.definition(definition, output)),
    run,
    ...stream
  ].join("\n")
}
