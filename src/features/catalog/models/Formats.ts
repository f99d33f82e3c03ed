/** Formats of JSON Schema for texts of any length: most of the usual patterns exhaust the stack on megabytes. */
import type { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"

/** Up to this many characters the format's own pattern is used. */
const longestMatched = 65_536

const dataUri = /^[\t\n\r ]*data:/i
const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Longer texts can only be `data:` URIs. */
const isLong: Readonly<Record<string, (text: string) => boolean>> = {
  uri: (text) => dataUri.test(text),
  "uri-reference": (text) => dataUri.test(text),
  byte: (text) => text.length % 4 === 0 && base64.test(text)
}

/**
 * Whether browsers accept the text as a URL (WHATWG URL): also with blanks, line breaks and non-ASCII characters, which
 * they encode. RFC 3986 has none of these, but what writes URLs has.
 */
const isUrl = (text: string): boolean => URL.canParse(text)

const isAlso: Readonly<Record<string, (text: string) => boolean>> = { uri: isUrl, "uri-reference": isUrl }

/** Adds the formats of ajv-formats, with `uri` and `uri-reference` as browsers read them. */
export const addTo = (ajv: Ajv2020): void => {
  formats.default(ajv)
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (!(format instanceof RegExp) && typeof format !== "function") continue
    const isStrict = format instanceof RegExp ? (text: string) => format.test(text) : format
    const isOther = isAlso[name] ?? (() => false)
    const isShort = (text: string) => isStrict(text) || isOther(text)
    ajv.addFormat(name, (text: string) =>
      text.length <= longestMatched ? isShort(text) : (isLong[name]?.(text) ?? false)
    )
  }
}
