/** Decodes the text of a JSON string (RFC 8259, section 7), chunk by chunk, from the bytes between its quotes. */

const backslash = 0x5c
const letterU = 0x75

/** `\uXXXX`. Characters beyond the basic plane have two. */
const unitLength = 6
const pairLength = 2 * unitLength

/** By the byte after the backslash. */
const short: ReadonlyMap<number, number> = new Map([
  [0x22, 0x22],
  [backslash, backslash],
  [0x2f, 0x2f],
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09]
])

const nothing = new Uint8Array(0)

/** The value of a hexadecimal digit; -1 for every other byte. */
const digit = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** The UTF-16 unit that is escaped at `index`; -1 when there is none. */
const unitAt = (bytes: Buffer, index: number): number => {
  if (bytes[index] !== backslash || bytes[index + 1] !== letterU) return -1
  let unit = 0
  for (let place = index + 2; place < index + unitLength; place++) {
    const value = digit(bytes[place] ?? 0)
    if (value < 0) return -1
    unit = unit * 16 + value
  }
  return unit
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

export const make = () => {
  /** The beginning of an incomplete escape. */
  let carried: Uint8Array = nothing

  const convert = (bytes: Buffer, isLast: boolean): Uint8Array | null => {
    // An escape is never shorter than its character.
    const text = Buffer.allocUnsafe(bytes.length)
    let length = 0
    let index = 0
    const isCutOff = (needed: number) => !isLast && bytes.length - index < needed
    const carry = () => {
      carried = Uint8Array.from(bytes.subarray(index))
      return text.subarray(0, length)
    }
    while (true) {
      const found = bytes.indexOf(backslash, index)
      const next = found < 0 ? bytes.length : found
      length += bytes.copy(text, length, index, next)
      index = next
      if (found < 0) return text.subarray(0, length)
      const byte = short.get(bytes[index + 1] ?? 0)
      if (byte !== undefined) {
        text[length++] = byte
        index += 2
        continue
      }
      if (isCutOff(unitLength)) return carry()
      const unit = unitAt(bytes, index)
      if (unit < 0) return null
      if (unit < 0x80) {
        text[length++] = unit
        index += unitLength
        continue
      }
      if (isHigh(unit) && isCutOff(pairLength)) return carry()
      const second = isHigh(unit) ? unitAt(bytes, index + unitLength) : -1
      // Half of a surrogate pair becomes the replacement character, as everywhere in UTF-8.
      length += text.write(String.fromCharCode(unit, ...(isLow(second) ? [second] : [])), length)
      index += isLow(second) ? pairLength : unitLength
    }
  }

  const take = (raw: Uint8Array): Buffer => {
    const all = carried.length === 0 ? raw : Buffer.concat([carried, raw])
    carried = nothing
    return Buffer.from(all.buffer, all.byteOffset, all.byteLength)
  }

  return {
    /** Returns the text in UTF-8 as far as it is complete; `null` for an invalid escape. */
    push: (raw: Uint8Array) =>
      carried.length === 0 && !raw.includes(backslash) ? raw : convert(take(raw), false),
    /** Returns the rest. */
    end: () => (carried.length === 0 ? nothing : convert(take(nothing), true))
  }
}
