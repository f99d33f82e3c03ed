/**
 * Triton's generate extension, for models that stream
 * (https://github.com/triton-inference-server/server/blob/main/docs/protocol/extension_generate.md).
 */
import { Result } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { StreamKind } from "#domain/catalog/Model.ts"
import type { Options } from "./Options.ts"

/** Tensors by name, in their plain form, or the fault of the input. */
export const bodyOf = ({ inputs, parameters }: Options, input: Json): Result.Result<JsonObject, string> => {
  if (!isObject(input)) return Result.fail("an object is expected")
  const common = parameters === undefined ? {} : { parameters }
  if (inputs === undefined) return Result.succeed({ ...common, ...input })
  const tensors = Object.entries(inputs).flatMap(([field, { default: usual, tensor = field }]) => {
    const value = (Object.hasOwn(input, field) ? input[field] : null) ?? usual ?? null
    return value === null ? [] : [[tensor, value] as const]
  })
  return Result.succeed({ ...common, ...Object.fromEntries(tensors) })
}

/** The usual output tensor of models of text. */
const textTensor = "text_output"

/**
 * The chunk in a response: of a text, the first of the binding's outputs; else its fields, or the whole response without
 * `outputs`. `undefined` if a tensor is missing.
 */
export const chunkIn = ({ outputs }: Options, kind: StreamKind, response: Json): Json | undefined => {
  if (!isObject(response)) return undefined
  const valueOf = (tensor: string) => (Object.hasOwn(response, tensor) ? response[tensor] : undefined)
  const tensors = Object.entries(outputs ?? {})
  if (kind === "text") return valueOf(tensors[0]?.[1] ?? textTensor)
  if (outputs === undefined) return response
  const fields = tensors.flatMap(([field, tensor]) => {
    const value = valueOf(tensor)
    return value === undefined ? [] : [[field, value] as const]
  })
  return fields.length === tensors.length ? Object.fromEntries(fields) : undefined
}
