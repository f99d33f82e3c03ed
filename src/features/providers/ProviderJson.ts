/**
 * JSON of providers: answers, events of streams and reports of workers. What is no JSON is described for the message that the
 * run ends with: its kind and the place that breaks it, never its content. `NaN` and `Infinity`, which Python writes, are
 * refused, because no value of JSON means the same.
 */
import { Result } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import * as JsonFault from "#src/kernel/text/JsonFault.ts"

/** What a text is that is no JSON, as in "The provider's answer is …". */
export type Fault = string

interface Told {
  readonly contentType?: string | undefined
  /** Codings of the content that were not decoded. */
  readonly encoding?: string | undefined
}

const decoder = new TextDecoder("utf-8", { fatal: true })

const textOf = (bytes: Uint8Array): string | null => {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

/** Characters that JSON begins with, and the constants of Python. */
const beginning = /^[ \t\n\r]*(?:["{[\-0-9tfnNI]|$)/

const gzip = Buffer.from([0x1f, 0x8b])
const zstd = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

const startsWith = (bytes: Uint8Array, magic: Buffer): boolean =>
  Buffer.compare(bytes.subarray(0, magic.length), magic) === 0

/** A media type or a coding as it may be shown. */
const word = (header: string | undefined): string | null =>
  /^[\w.+/-]{1,80}/.exec(header?.trim() ?? "")?.[0].toLowerCase() ?? null

const kindOfText = (text: string, contentType: string | null): Fault => {
  const start = text.trimStart()
  if (start === "") return "empty, not JSON"
  const told = contentType === null ? "" : ` (${contentType})`
  if (/^<(?:!doctype html|html|head|body)\b/i.test(start)) return `HTML, not JSON${told}`
  if (start.startsWith("<")) return `markup, not JSON${told}`
  if (!beginning.test(text)) return `text, not JSON${told}`
  const fault = JsonFault.find(text)
  return fault === null ? `not JSON${told}` : `not JSON: ${JsonFault.describe(fault)}`
}

const kindOf = (bytes: Uint8Array, { contentType, encoding }: Told): Fault => {
  const coding = word(encoding)
  if (coding !== null && coding !== "identity") return `encoded as ${coding}, which is not supported`
  if (startsWith(bytes, gzip)) return "gzip without a Content-Encoding, not JSON"
  if (startsWith(bytes, zstd)) return "zstd without a Content-Encoding, not JSON"
  const text = textOf(bytes)
  const type = word(contentType)
  if (text !== null) return kindOfText(text, type)
  return type === null ? "not UTF-8" : `not UTF-8 (${type})`
}

const limits: Readonly<Record<"too_deep" | "too_many_values", Fault>> = {
  too_deep: `JSON of more than ${JsonBytes.maxDepth} levels`,
  too_many_values: "JSON of too many values"
}

export const parse = (bytes: Uint8Array, told: Told = {}): Result.Result<Json, Fault> =>
  Result.mapError(JsonBytes.parse(bytes), (error) =>
    error === "too_deep" || error === "too_many_values" ? limits[error] : kindOf(bytes, told)
  )

/** Why the data of an event is no JSON; `null` if it is. */
export const faultIn = (data: string): Fault | null => Result.getOrNull(Result.flip(parse(Buffer.from(data))))
