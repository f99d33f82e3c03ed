/** In characters as JSON Schema counts them, which JavaScript may have two units of UTF-16 for. */
export interface TextLength {
  readonly minLength?: number
  readonly maxLength: number
}

/** As `minLength` and `maxLength` have it (JSON Schema Validation 2020-12, 6.3.1 and 6.3.2). */
export const isWithin = (text: string, { maxLength, minLength = 0 }: TextLength): boolean => {
  // However it is counted.
  if (text.length > 2 * maxLength) return false
  const length = Array.from(text).length
  return length >= minLength && length <= maxLength
}
