import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

/** Tensor data types of the Open Inference Protocol, but for FP16: JSON has no agreed form of it. */
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

/** Where a field of the input goes, and as what (docs/operators/providers/kserve.md, "Inputs"). */
export const InputTensor = Schema.Struct({
  /** The tensor's name; the field's when not given. */
  tensor: Schema.optionalKey(Name),
  datatype: Datatype,
  /**
   * -1: any size. When not given, what the value has: `[1]` for a single one, and for lists their own. A value of as many
   * dimensions must have these sizes; one of more or fewer is put in this shape in row-major order, which at most one -1 allows.
   */
  shape: Schema.optionalKey(Shape),
  /** When the input has no such field, or `null`. Without it the tensor is left out then. */
  default: Schema.optionalKey(Schema.Json)
})
export type InputTensor = typeof InputTensor.Type

const isDistinct = (inputs: Readonly<Record<string, InputTensor>>): boolean => {
  const names = Object.entries(inputs).map(([field, { tensor = field }]) => tensor)
  return new Set(names).size === names.length
}

export const Options = Schema.Struct({
  /** As the server names it. */
  model: Name,
  /** The server chooses when not given. */
  version: Schema.optionalKey(Name),
  /** By field of the input; fields that are not here are not sent. Without it the input is an inference request itself. */
  inputs: Schema.optionalKey(
    Schema.Record(Schema.String, InputTensor).check(
      Schema.makeFilter(isDistinct, { expected: "a tensor of its own for each field" })
    )
  ),
  /**
   * By field of the output, the tensor that it is: only those are asked for. Without it, all tensors by their names, or the
   * answer as it is where the input is an inference request.
   */
  outputs: Schema.optionalKey(Schema.Record(Schema.String, Name)),
  /** The model takes batches: every tensor has a first dimension more than is said here, of size 1. */
  batched: Schema.optionalKey(Schema.Boolean),
  /** Parameters of every inference request. */
  parameters: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number, Schema.Boolean]))
  )
})
export type Options = typeof Options.Type

export const options: AdapterOptions = { url: "required", secretEnv: "optional", options: Options }
