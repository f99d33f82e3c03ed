/** Checks that a model's `output.stream` and `serves` fit its providers and schemas. */
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model, OpenaiCall } from "#domain/catalog/Model.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { Path } from "./Diagnostic.ts"
import type { Breach } from "./Manifest.ts"

/** The endpoints of the `openai` adapter whose answers are streams. */
const streamed: ReadonlySet<Json | undefined> = new Set(["chat", "completions"])

const isStreamed = ({ adapter, options = {} }: ProviderBinding): boolean =>
  adapter === "openai" && streamed.has(options["endpoint"])

/** Calls that are answered with chunks of texts. */
const ofTexts: ReadonlySet<OpenaiCall> = new Set(["chat", "completions", "responses"])

const typesOf = ({ type }: Model["inputSchema"]): ReadonlyArray<Json> =>
  Array.isArray(type) ? type : type === undefined ? [] : [type as Json]

const takes = (schema: Model["inputSchema"], type: string): boolean => {
  const types = typesOf(schema)
  return types.length === 0 || types.includes(type)
}

/** Chunks of OpenAI's API come from no other adapter. */
const streamBreaches = ({ output, outputSchema, providers }: Model, at: (index: number) => Path) => {
  switch (output?.stream) {
    case "openai":
      return providers.flatMap((binding, index): ReadonlyArray<Breach> =>
        isStreamed(binding)
          ? []
          : [
              {
                path: [...at(index), "adapter"],
                message:
                  "Expected openai with the endpoint chat or completions, because output.stream is openai"
              }
            ]
      )
    case "text":
      return takes(outputSchema, "string")
        ? []
        : [
            {
              path: ["output", "stream"],
              message: "Expected an outputSchema of type string: chunks of text add up to one"
            }
          ]
    case "items":
      return takes(outputSchema, "array")
        ? []
        : [
            {
              path: ["output", "stream"],
              message: "Expected an outputSchema of type array: items add up to a list"
            }
          ]
    case "last":
    case undefined:
      return []
  }
}

const servesBreaches = ({ inputSchema, output, serves = [] }: Model): ReadonlyArray<Breach> => {
  if (serves.length === 0) return []
  const found: Array<Breach> = []
  if (!takes(inputSchema, "object"))
    found.push({
      path: ["serves"],
      message: "Expected an inputSchema of type object: it is the body of a call"
    })
  const isText = serves.some((call) => ofTexts.has(call))
  if (isText && (output?.stream === "items" || output?.stream === "last"))
    found.push({
      path: ["output", "stream"],
      message: `Expected openai or text, because of serves: ${output.stream} cannot become chunks of a text`
    })
  if (new Set(serves).size !== serves.length)
    found.push({ path: ["serves"], message: "Expected each call once" })
  return found
}

/** @param at the place of a binding in the manifest. */
export const check = (model: Model, at: (index: number) => Path): ReadonlyArray<Breach> => [
  ...streamBreaches(model, at),
  ...servesBreaches(model)
]
