/** The formats of JSON Schema for texts of any length: the patterns of most exhaust the stack on megabytes. */
import type { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"

/** Characters up to which a text is matched by its format's own pattern. */
const longestMatched = 65_536

const dataUri = /^data:[!-~]*$/i
const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Beyond: a file within the text. No other text of that length is of any format. */
const isLong: Readonly<Record<string, (text: string) => boolean>> = {
  uri: (text) => dataUri.test(text),
  "uri-reference": (text) => dataUri.test(text),
  byte: (text) => text.length % 4 === 0 && base64.test(text)
}

/** Adds those of ajv-formats. */
export const addTo = (ajv: Ajv2020): void => {
  formats.default(ajv)
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (!(format instanceof RegExp) && typeof format !== "function") continue
    const isShort = format instanceof RegExp ? (text: string) => format.test(text) : format
    ajv.addFormat(name, (text: string) =>
      text.length <= longestMatched ? isShort(text) : (isLong[name]?.(text) ?? false)
    )
  }
}
