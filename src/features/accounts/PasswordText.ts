/**
 * What may be a password: 15 to 256 characters of any script, none of them a control character, and no other rule. 15 is the
 * least where it is the only factor (NIST SP 800-63B-4, 3.1.1.2), and characters are code points, counted after NFKC.
 */
const shortest = 15
const longest = 256

export const expectation = `a password of ${shortest} to ${longest} characters, none of them a control character`

const form = new RegExp(`^\\P{Cc}{${shortest},${longest}}$`, "u")

/** Code units before NFKC, which makes one character of several: nobody has much more of them normalised. */
const mostUnits = 16 * longest

/** One text for what looks the same, whatever keyboard it was typed on. `null` for what is no password. */
export const normalized = (text: string): string | null => {
  if (text.length > mostUnits || !text.isWellFormed()) return null
  const normal = text.normalize("NFKC")
  return form.test(normal) ? normal : null
}

export const isPassword = (text: string): boolean => normalized(text) !== null
