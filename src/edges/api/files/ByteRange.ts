/** The `Range` header (RFC 9110, 14.2). Only a single range of bytes is honoured; any other form is ignored. */

export type ByteRange =
  | { readonly _tag: "Whole" }
  | { readonly _tag: "Part"; readonly start: number; readonly length: number }
  | { readonly _tag: "Unsatisfiable" }

const whole: ByteRange = { _tag: "Whole" }

/**
 * Numbers may have any length; all past the end are equal. An empty file has no range, because `206` could not name one.
 *
 * @param size of the whole, in bytes.
 */
export const parse = (header: string | undefined, size: number): ByteRange => {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? []
  if (first === "" && last === "") return whole
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== "" && last !== "" && BigInt(last) < BigInt(first)) return whole
  return start > end ? { _tag: "Unsatisfiable" } : { _tag: "Part", start, length: end - start + 1 }
}
