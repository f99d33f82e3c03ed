/** The JSON form of a tensor's elements. */
import type { Json } from "#domain/CanonicalJson.ts"
import type { Datatype } from "./Options.ts"

const isBetween = (least: number, most: number) => (element: Json) =>
  typeof element === "number" && Number.isInteger(element) && element >= least && element <= most

const isNumber = (element: Json) => typeof element === "number"

interface Element {
  readonly is: (element: Json) => boolean
  readonly what: string
}

const whole = (least: number, most: number): Element => ({
  is: isBetween(least, most),
  what: `whole numbers from ${least} to ${most}`
})

/** By the tensor's data type. Integers beyond 2^53 lose precision in JSON. */
export const elementOf: Readonly<Record<Datatype, Element>> = {
  BOOL: { is: (element) => typeof element === "boolean", what: "booleans" },
  UINT8: whole(0, 2 ** 8 - 1),
  UINT16: whole(0, 2 ** 16 - 1),
  UINT32: whole(0, 2 ** 32 - 1),
  UINT64: whole(0, Number.MAX_SAFE_INTEGER),
  INT8: whole(-(2 ** 7), 2 ** 7 - 1),
  INT16: whole(-(2 ** 15), 2 ** 15 - 1),
  INT32: whole(-(2 ** 31), 2 ** 31 - 1),
  INT64: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  FP32: { is: isNumber, what: "numbers" },
  FP64: { is: isNumber, what: "numbers" },
  BYTES: { is: (element) => typeof element === "string", what: "strings" }
}
