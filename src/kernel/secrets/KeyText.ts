/** The master key as text: 64 hexadecimal digits. */

export const keyBytes = 32

const form = /^[0-9a-fA-F]{64}$/

/** `null` for any other text. */
export const parse = (text: string): Buffer | null => (form.test(text) ? Buffer.from(text, "hex") : null)
