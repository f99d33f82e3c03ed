/** An input in the part of a URL that no server sees, so that a view with it can be shared. */
import * as JsonText from "#domain/JsonText.ts"
import type { Json } from "#domain/CanonicalJson.ts"

/** Characters of the encoded input. Longer addresses are cut by programs that pass them on. */
const longest = 4_000

const name = "input="

/** Names of fields whose values do not belong into an address. */
const secretName = /(?:^|_|-)(?:secret|password|passphrase|api_?key|access_?token|auth_?token|credential)s?$/i

const hasSecret = (value: Json): boolean => {
  if (typeof value !== "object" || value === null) return false
  return Object.entries(value).some(
    ([name, member]) => (secretName.test(name) && member !== null && member !== "") || hasSecret(member)
  )
}

const toText = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))

/** The fragment, with `#`; `null` if the input is too large or has a secret. */
export const fragmentOf = (input: Json): string | null => {
  const text = JsonText.write(input)
  if (text.length > longest || hasSecret(input)) return null
  const encoded = toText(new TextEncoder().encode(text))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
  return encoded.length > longest ? null : `#${name}${encoded}`
}

/** The input of a fragment; `undefined` without one, or if it is broken. */
export const inputOf = (fragment: string): Json | undefined => {
  const text = fragment.replace(/^#/, "")
  if (!text.startsWith(name)) return undefined
  try {
    const encoded = text.slice(name.length).replaceAll("-", "+").replaceAll("_", "/")
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    return JsonText.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
