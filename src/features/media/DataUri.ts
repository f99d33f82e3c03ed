/** `data:` URIs (RFC 2397), parsed strictly. */
import { Result } from "effect"
import { ImageRefused } from "./ImageFailure.ts"
import { maxDataUriLength } from "./ImageLimits.ts"

const headLength = 512
const head = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?((?:;[a-z0-9-]+=[a-z0-9._-]+)*)(;base64)?,/i
const base64 = /^[A-Za-z0-9+/]*={0,2}$/
const percent = 0x25

export interface DataUri {
  /** The claimed type. */
  readonly contentType: string
  readonly bytes: Uint8Array
}

export const isDataUri = (text: string): boolean => /^data:/i.test(text.slice(0, 5))

/** The content, of any type and length; `null` if malformed. */
export const decode = (text: string): DataUri | null => {
  const match = head.exec(text.slice(0, headLength))
  if (match === null) return null
  const [prefix, type, parameters, encoding] = match
  const data = text.slice(prefix.length)
  const bytes = encoding === undefined ? decodePercent(data) : decodeBase64(data)
  return bytes === null ? null : { contentType: (type ?? "text/plain") + parameters, bytes }
}

const fail = (reason: ImageRefused["reason"]) => Result.fail(new ImageRefused({ reason }))

/** The picture in the URI. Refused if it is too long, no image, SVG, empty or malformed. */
export const parse = (text: string): Result.Result<Uint8Array, ImageRefused> => {
  if (text.length > maxDataUriLength) return fail("data_uri_too_long")
  if (/^data:image\/svg/i.test(text.slice(0, headLength))) return fail("svg")
  if (!/^data:image\//i.test(text.slice(0, headLength))) return fail("malformed_data_uri")
  const decoded = decode(text)
  return decoded === null || decoded.bytes.length === 0
    ? fail("malformed_data_uri")
    : Result.succeed(decoded.bytes)
}

const decodeBase64 = (data: string): Uint8Array | null =>
  data.length % 4 === 0 && base64.test(data) ? Buffer.from(data, "base64") : null

const decodePercent = (data: string): Uint8Array | null => {
  if (!/^[!-~]*$/.test(data)) return null
  const source = Buffer.from(data, "latin1")
  const bytes = Buffer.alloc(source.length)
  let length = 0
  for (let index = 0; index < source.length; index++) {
    let byte = source[index] ?? 0
    if (byte === percent) {
      const digits = source.toString("latin1", index + 1, index + 3)
      if (!/^[0-9A-Fa-f]{2}$/.test(digits)) return null
      byte = Number.parseInt(digits, 16)
      index += 2
    }
    bytes[length++] = byte
  }
  return bytes.subarray(0, length)
}
