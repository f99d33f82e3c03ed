/** Valid passwords: 15 (NIST SP 800-63B-4, 3.1.1.2) to 256 code points after NFKC, without control characters. */
const shortest = 15
const longest = 256

export const expectation = `a password of ${shortest} to ${longest} characters, none of them a control character`

const form = new RegExp(`^\\P{Cc}{${shortest},${longest}}$`, "u")

/** Code units before NFKC, which merges characters; a longer text is refused unnormalised. */
const mostUnits = 16 * longest

/** The same text for input that looks the same. `null` if it is not a valid password. */
export const normalized = (text: string): string | null => {
  if (text.length > mostUnits || !text.isWellFormed()) return null
  const normal = text.normalize("NFKC")
  return form.test(normal) ? normal : null
}

export const isPassword = (text: string): boolean => normalized(text) !== null
