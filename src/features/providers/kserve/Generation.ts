/**
 * Triton's generate extension, for models that stream
 * (https://github.com/triton-inference-server/server/blob/main/docs/protocol/extension_generate.md).
 */
import { Result } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { StreamKind } from "#domain/catalog/Model.ts"
import type { Options } from "./Options.ts"

/** Tensors by name, in their plain form, or the fault of the input. */
export const bodyOf = ({ inputs, parameters }: Options, input: Json): Result.Result<JsonObject, string> => {
  if (!isObject(input)) return Result.fail("an object is expected")
  if (inputs === undefined) {
    const isMissing = parameters !== undefined && !Object.hasOwn(input, "parameters")
    return Result.succeed(isMissing ? JsonText.edit(input, { set: { parameters } }) : input)
  }
  const common = parameters === undefined ? [] : [{ name: "parameters", value: parameters, scalar: null }]
  const tensors = Object.entries(inputs).flatMap(([field, { default: usual = null, tensor = field }]) => {
    const given = JsonText.spelledMember(input, field)
    if (given !== undefined && given.value !== null) return [{ ...given, name: tensor }]
    return usual === null ? [] : [{ name: tensor, value: usual, scalar: null }]
  })
  return Result.succeed(JsonText.objectOf([...common, ...tensors]))
}

/** The usual output tensor of models of text. */
const textTensor = "text_output"

/**
 * The chunk in a response: of a text, the first of the binding's outputs; else its fields, or the whole response without
 * `outputs`. `undefined` if a tensor is missing.
 */
export const chunkIn = (
  { outputs }: Options,
  kind: StreamKind,
  response: JsonText.Spelled
): JsonText.Spelled | undefined => {
  const { value } = response
  if (!isObject(value)) return undefined
  const tensors = Object.entries(outputs ?? {})
  if (kind === "text") return JsonText.spelledMember(value, tensors[0]?.[1] ?? textTensor)
  if (outputs === undefined) return response
  const fields = tensors.flatMap(([field, tensor]) => {
    const member = JsonText.spelledMember(value, tensor)
    return member === undefined ? [] : [{ ...member, name: field }]
  })
  return fields.length === tensors.length ? { value: JsonText.objectOf(fields), scalar: null } : undefined
}
