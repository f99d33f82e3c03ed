/** The hash chain of a stream, checked in the browser (SECURITY.md, "What the log proves"). */

export interface Link {
  readonly stream: string
  readonly ordinal: number
  readonly id: string
  readonly type: string
  /** Unix time in ms. */
  readonly time: number
  /** The data, exactly as it was hashed. */
  readonly text: string
  /** base64url */
  readonly hash: string
}

/** The hash before the first event of a stream. */
const origin = ""

/** Browsers compute hashes only on pages that came over HTTPS or from this machine. */
export const canHash = (): boolean => window.isSecureContext

const encoder = new TextEncoder()

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

/** SHA-256 of the hash before, and of the event. */
const hashOf = async (previous: string, { id, ordinal, stream, text, time, type }: Link): Promise<string> =>
  base64url(
    await crypto.subtle.digest(
      "SHA-256",
      encoder.encode(`${previous}\n${JSON.stringify([stream, ordinal, id, type, time])}${text}`)
    )
  )

/** The place in its stream of the last event that was checked. */
export interface Tail {
  readonly ordinal: number
  readonly hash: string
}

export const start: Tail = { ordinal: -1, hash: origin }

/** The tail after the event; `null` if the event does not follow on `tail`, or is not what was hashed. */
export const follow = async (tail: Tail, link: Link): Promise<Tail | null> => {
  if (link.ordinal !== tail.ordinal + 1) return null
  return (await hashOf(tail.hash, link)) === link.hash ? { ordinal: link.ordinal, hash: link.hash } : null
}
