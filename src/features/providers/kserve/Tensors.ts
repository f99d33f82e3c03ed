/**
 * Converts between plain JSON and tensors of the Open Inference Protocol
 * (https://github.com/kserve/kserve/blob/master/docs/predict-api/v2/required_api.md, "Tensor Data"). Data is sent flat,
 * in row-major order, and read flat or nested.
 */
import { Result } from "effect"
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { InputTensor, Datatype } from "./Options.ts"

/** The JSON form of a tensor's elements. */
const isBetween = (least: number, most: number) => (element: Json) =>
  typeof element === "number" && Number.isInteger(element) && element >= least && element <= most

const isNumber = (element: Json) => typeof element === "number"

interface Element {
  readonly is: (element: Json) => boolean
  readonly what: string
}

const whole = (least: bigint, most: bigint): Element => ({
  is: isBetween(Number(least), Number(most)),
  what: `whole numbers from ${least} to ${most}`
})

/** By the tensor's data type. JavaScript rounds integers beyond 2^53, so the server checks those at the edge of the type. */
const elementOf: Readonly<Record<Datatype, Element>> = {
  BOOL: { is: (element) => typeof element === "boolean", what: "booleans" },
  UINT8: whole(0n, 2n ** 8n - 1n),
  UINT16: whole(0n, 2n ** 16n - 1n),
  UINT32: whole(0n, 2n ** 32n - 1n),
  UINT64: whole(0n, 2n ** 64n - 1n),
  INT8: whole(-(2n ** 7n), 2n ** 7n - 1n),
  INT16: whole(-(2n ** 15n), 2n ** 15n - 1n),
  INT32: whole(-(2n ** 31n), 2n ** 31n - 1n),
  INT64: whole(-(2n ** 63n), 2n ** 63n - 1n),
  FP32: { is: isNumber, what: "numbers" },
  FP64: { is: isNumber, what: "numbers" },
  BYTES: { is: (element) => typeof element === "string", what: "strings" }
}

/** The most dimensions of a tensor that any server supports. */
const maxRank = 32

const product = (sizes: ReadonlyArray<number>): number => sizes.reduce((count, size) => count * size, 1)

interface Measured {
  /** `[]` for a single value. */
  readonly shape: ReadonlyArray<number>
  readonly elements: ReadonlyArray<Json>
}

/** `null` for uneven or too deeply nested lists. */
const measure = (value: Json): Measured | null => {
  const shape: Array<number> = []
  for (let item: Json | undefined = value; isList(item); item = item[0]) shape.push(item.length)
  if (shape.length > maxRank) return null
  const elements: Array<Json> = []
  const collect = (value: Json, depth: number): boolean => {
    if (depth < shape.length)
      return isList(value) && value.length === shape[depth] && value.every((item) => collect(item, depth + 1))
    elements.push(value)
    return !isList(value)
  }
  return collect(value, 0) ? { shape, elements } : null
}

/** The sizes of a value with this `shape` and `count` of elements; `null` if it does not fit `declared`. */
const fit = (
  declared: ReadonlyArray<number> | undefined,
  { elements: { length: count }, shape }: Measured
): ReadonlyArray<number> | null => {
  if (declared === undefined) return shape.length === 0 ? [1] : shape
  if (declared.length === shape.length)
    return declared.every((size, at) => size === -1 || size === shape[at]) ? shape : null
  const known = product(declared.filter((size) => size !== -1))
  switch (declared.filter((size) => size === -1).length) {
    case 0:
      return known === count ? declared : null
    case 1:
      return count % known === 0 ? declared.map((size) => (size === -1 ? count / known : size)) : null
    default:
      return null
  }
}

const encodeField = (
  field: string,
  value: Json,
  { datatype, shape: declared, tensor = field }: InputTensor,
  batched: boolean
): Result.Result<JsonObject, string> => {
  const measured = measure(value)
  if (measured === null) return Result.fail(`field ${field} is expected to have lists of one length`)
  const { is, what } = elementOf[datatype]
  if (!measured.elements.every(is)) return Result.fail(`field ${field} is expected to hold ${what}`)
  const shape = fit(declared, measured)
  if (shape === null)
    return Result.fail(`field ${field} is expected to have the shape [${declared?.join(", ") ?? ""}]`)
  return Result.succeed({
    name: tensor,
    shape: batched ? [1, ...shape] : shape,
    datatype,
    data: measured.elements
  })
}

/** The tensors of an input, or its fault, which repeats no value. */
export const encode = (
  inputs: Readonly<Record<string, InputTensor>>,
  batched: boolean,
  input: Json
): Result.Result<ReadonlyArray<JsonObject>, string> => {
  if (!isObject(input)) return Result.fail("an object is expected")
  return Result.all(
    Object.entries(inputs).flatMap(([field, tensor]) => {
      const value = (Object.hasOwn(input, field) ? input[field] : null) ?? tensor.default ?? null
      return value === null ? [] : [encodeField(field, value, tensor, batched)]
    })
  )
}

const isSize = (size: Json): size is number =>
  typeof size === "number" && Number.isSafeInteger(size) && size >= 0

const isShape = (shape: Json | undefined): shape is ReadonlyArray<number> =>
  isList(shape) && shape.length <= maxRank && shape.every(isSize)

/** Nests lists in row-major order; a tensor without elements becomes `[]`. */
const nest = (elements: ReadonlyArray<Json>, shape: ReadonlyArray<number>): Json => {
  if (elements.length === 0) return []
  let level = elements
  for (const size of shape.slice(1).toReversed()) {
    const inner = level
    level = Array.from({ length: inner.length / size }, (_, at) => inner.slice(at * size, (at + 1) * size))
  }
  return level
}

/** A tensor as plain JSON: the element itself for `[]` and `[1]`. `null` if it is not a tensor. */
const decodeTensor = (
  tensor: Json,
  batched: boolean
): { readonly name: string; readonly value: Json } | null => {
  if (!isObject(tensor)) return null
  const { data, name, shape } = tensor
  if (typeof name !== "string" || !isShape(shape) || !isList(data)) return null
  const measured = measure(data)
  if (measured === null || measured.elements.length !== product(shape)) return null
  const { elements } = measured
  const own = batched && shape[0] === 1 ? shape.slice(1) : shape
  const [only = null] = elements
  const isSingle = own.length === 0 || (own.length === 1 && own[0] === 1)
  return { name, value: isSingle ? only : nest(elements, own) }
}

/** The output from an answer's tensors, by `outputs` or by name; `null` if one is missing or malformed. */
export const decode = (
  outputs: Readonly<Record<string, string>> | undefined,
  batched: boolean,
  answer: Json | undefined
): JsonObject | null => {
  const tensors = isObject(answer) ? answer["outputs"] : undefined
  if (!isList(tensors)) return null
  const values = new Map<string, Json>()
  for (const tensor of tensors) {
    const decoded = decodeTensor(tensor, batched)
    if (decoded === null) return null
    values.set(decoded.name, decoded.value)
  }
  const fields =
    outputs === undefined ? [...values.keys()].map((name) => [name, name]) : Object.entries(outputs)
  const members: Array<readonly [string, Json]> = []
  for (const [field = "", name = ""] of fields) {
    const value = values.get(name)
    if (value === undefined) return null
    members.push([field, value])
  }
  return Object.fromEntries(members)
}
