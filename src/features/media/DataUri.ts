/**
 * `data:` URIs as browsers read them (RFC 2397 and the WHATWG Fetch standard), with both alphabets of base64. They are
 * made by many libraries: with line breaks, without padding, with parameters or percent-encoding in the base64.
 */
import { Result } from "effect"
import { essenceOf } from "#domain/file/ContentType.ts"
import { ImageRefused } from "./ImageFailure.ts"
import { maxDataUriLength } from "./ImageLimits.ts"
import * as MediaType from "./MediaType.ts"

/** Characters before the data. File names in parameters are long once they are percent-encoded. */
export const headLength = 4_096

const scheme = /^data:/i

/** Line breaks and tabs, which no URL contains. */
const lineBreaks = /[\t\n\r]/g
const spaces = /[\t\n\f\r ]/g

const base64Mark = /; *base64$/i

/** Either alphabet (RFC 4648, 4 and 5). */
const base64 = /^[A-Za-z0-9+/_-]*$/
const padding = /={1,2}$/

/** Of URIs that claim none (RFC 2397, 2). */
const defaultType = "text/plain"

const percent = 0x25

export interface DataUri {
  /** The claimed type, without parameters that are no media type's; `text/plain` if none is claimed. */
  readonly contentType: string
  readonly bytes: Uint8Array
}

interface Head {
  /** `null` if no type is claimed. */
  readonly contentType: string | null
  readonly isBase64: boolean
  /** Where the data begins. */
  readonly end: number
}

export const isDataUri = (text: string): boolean => scheme.test(text.slice(0, 5))

/** Parses what stands before the data. `null` without a comma near the start. */
export const headOf = (text: string): Head | null => {
  const start = text.slice(0, headLength)
  const comma = start.indexOf(",")
  if (comma < 0 || !isDataUri(start)) return null
  const type = start.slice("data:".length, comma).replace(lineBreaks, "").trim()
  const claimed = type.replace(base64Mark, "").trim()
  return {
    contentType: typeOf(claimed),
    isBase64: base64Mark.test(type),
    end: comma + 1
  }
}

const typeOf = (claimed: string): string | null => {
  const whole = claimed.startsWith(";") ? `${defaultType}${claimed}` : claimed
  return essenceOf(whole).includes("/") ? MediaType.clean(whole) : null
}

/** The content, of any type and length; `null` if malformed. A fragment is no part of it. */
export const decode = (text: string): DataUri | null => {
  const head = headOf(text)
  if (head === null) return null
  const fragment = text.indexOf("#", head.end)
  const data = text.slice(head.end, fragment < 0 ? undefined : fragment)
  const bytes = head.isBase64 ? decodeBase64(data) : decodePercent(data.replace(lineBreaks, ""))
  return bytes === null ? null : { contentType: head.contentType ?? defaultType, bytes }
}

const fail = (reason: ImageRefused["reason"]) => Result.fail(new ImageRefused({ reason }))

/** The bytes of the URI, which may be a picture. Refused if it is too long, declared as SVG, empty or malformed. */
export const parse = (text: string): Result.Result<Uint8Array, ImageRefused> => {
  if (text.length > maxDataUriLength) return fail("data_uri_too_long")
  const decoded = decode(text)
  if (decoded === null || decoded.bytes.length === 0) return fail("malformed_data_uri")
  return essenceOf(decoded.contentType) === "image/svg+xml" ? fail("svg") : Result.succeed(decoded.bytes)
}

/** Forgiving, as in the WHATWG Infra standard: without spaces, and padded fully or not at all. */
const decodeBase64 = (data: string): Uint8Array | null => {
  const text = data.includes("%") ? Buffer.from(decodePercent(data)).toString("latin1") : data
  const dense = text.replace(spaces, "")
  const digits = dense.length % 4 === 0 ? dense.replace(padding, "") : dense
  return digits.length % 4 !== 1 && base64.test(digits) ? Buffer.from(digits, "base64") : null
}

const isHexDigit = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)

/** In UTF-8. A percent sign that begins no escape stands for itself. */
const decodePercent = (data: string): Uint8Array => {
  const source = Buffer.from(data)
  const bytes = Buffer.alloc(source.length)
  let length = 0
  for (let index = 0; index < source.length; index++) {
    const byte = source[index] ?? 0
    const isEscape =
      byte === percent && isHexDigit(source[index + 1] ?? 0) && isHexDigit(source[index + 2] ?? 0)
    bytes[length++] = isEscape ? Number.parseInt(source.toString("latin1", index + 1, index + 3), 16) : byte
    if (isEscape) index += 2
  }
  return bytes.subarray(0, length)
}
