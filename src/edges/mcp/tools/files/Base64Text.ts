/**
 * Decodes base64 (RFC 4648, sections 4 and 5), chunk by chunk: either alphabet, with or without padding, and with
 * line ends (RFC 2045, section 6.8). Refuses everything else.
 */

export interface Base64Text {
  /** Returns the bytes as far as they are complete; `null` when the text is not base64. Chunks may end anywhere. */
  readonly push: (text: string) => Uint8Array | null
  /** Returns the rest. */
  readonly end: () => Uint8Array | null
}

const alphabet = /^[A-Za-z0-9+/_-]*$/
const padded = /^([A-Za-z0-9+/_-]*)(=*)$/
const spaces = /[\t\n\r ]+/g

export const make = (): Base64Text => {
  /** Characters of an incomplete group of four. */
  let carried = ""
  let padding = 0

  const decode = (text: string): Uint8Array => {
    const all = carried + text
    const length = all.length - (all.length % 4)
    carried = all.slice(length)
    return Buffer.from(all.slice(0, length), "base64")
  }

  const push: Base64Text["push"] = (text) => {
    if (padding === 0 && alphabet.test(text)) return decode(text)
    const [match, data = "", equals = ""] = padded.exec(text.replace(spaces, "")) ?? []
    if (match === undefined || (padding > 0 && data !== "")) return null
    padding += equals.length
    return decode(data)
  }

  const end: Base64Text["end"] = () => {
    const isWhole =
      padding === 0 ? carried.length !== 1 : carried.length > 1 && carried.length + padding === 4
    return isWhole ? Buffer.from(carried, "base64") : null
  }

  return { push, end }
}
