/** Length in characters as JSON Schema counts them. One character may be two UTF-16 units in JavaScript. */
export interface TextLength {
  readonly minLength?: number
  readonly maxLength: number
}

/** `minLength` and `maxLength` (JSON Schema Validation 2020-12, 6.3.1 and 6.3.2). */
export const isWithin = (text: string, { maxLength, minLength = 0 }: TextLength): boolean => {
  // Too long by either count.
  if (text.length > 2 * maxLength) return false
  const length = Array.from(text).length
  return length >= minLength && length <= maxLength
}
