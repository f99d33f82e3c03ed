import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

/** Tensor data types of the Open Inference Protocol except FP16, which has no agreed JSON form. */
export const Datatype = Schema.Literals([
  "BOOL",
  "UINT8",
  "UINT16",
  "UINT32",
  "UINT64",
  "INT8",
  "INT16",
  "INT32",
  "INT64",
  "FP32",
  "FP64",
  "BYTES"
])
export type Datatype = typeof Datatype.Type

const Name = Schema.NonEmptyString.check(Schema.isMaxLength(256))

const isSize = (size: number): boolean => Number.isSafeInteger(size) && (size > 0 || size === -1)

const Shape = Schema.Array(
  Schema.Number.check(Schema.makeFilter(isSize, { expected: "a whole number from 1, or -1 for any size" }))
).check(Schema.isMaxLength(32))

/** The tensor of an input field (docs/operators/providers/kserve.md, "Inputs"). */
export const InputTensor = Schema.Struct({
  /** The tensor's name; by default the field's name. */
  tensor: Schema.optionalKey(Name),
  datatype: Datatype,
  /**
   * -1 means any size. By default the value's own shape, `[1]` for a single value. A value with the same number of
   * dimensions must have these sizes; any other value is reshaped in row-major order, which allows at most one -1.
   */
  shape: Schema.optionalKey(Shape),
  /** For an absent or `null` field. Without a default the tensor is left out. */
  default: Schema.optionalKey(Schema.Json)
})
export type InputTensor = typeof InputTensor.Type

const isDistinct = (inputs: Readonly<Record<string, InputTensor>>): boolean => {
  const names = Object.entries(inputs).map(([field, { tensor = field }]) => tensor)
  return new Set(names).size === names.length
}

export const Options = Schema.Struct({
  /** The server's name of the model. */
  model: Name,
  /** By default the server chooses. */
  version: Schema.optionalKey(Name),
  /** By input field; other fields are not sent. Without `inputs` the input is itself an inference request. */
  inputs: Schema.optionalKey(
    Schema.Record(Schema.String, InputTensor).check(
      Schema.makeFilter(isDistinct, { expected: "a tensor of its own for each field" })
    )
  ),
  /** The tensor of each output field, which are then requested. Without `outputs`, all tensors, or the plain answer. */
  outputs: Schema.optionalKey(Schema.Record(Schema.String, Name)),
  /** The model takes batches: every tensor has an additional first dimension of size 1. */
  batched: Schema.optionalKey(Schema.Boolean),
  /** Parameters of every inference request. */
  parameters: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number, Schema.Boolean]))
  )
})
export type Options = typeof Options.Type

export const options: AdapterOptions = { url: "required", secretEnv: "optional", options: Options }
