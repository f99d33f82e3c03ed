/** The format of a picture by its first bytes, because names and content types are only claims. */

export type ImageFormat = "png" | "jpeg" | "webp" | "gif" | "avif" | "tiff"

/** Bytes that `sniff` reads. */
export const sniffLength = 256

const signatures: ReadonlyArray<readonly [ImageFormat, RegExp]> = [
  ["png", /^\x89PNG\r\n/],
  ["jpeg", /^\xff\xd8\xff/],
  ["webp", /^RIFF[^]{4}WEBPVP8/],
  ["gif", /^GIF8[79]a/],
  ["avif", /^[^]{4}ftyp(?:avif|avis|mif1|msf1)/],
  ["tiff", /^(?:II[*+]\0|MM\0[*+])/]
]

const markup = /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!doctype\s+svg|!--|svg|[a-z]+:svg)/i

/** `svg` for XML documents; `null` if it is not a supported picture. */
export const sniff = (head: Uint8Array): ImageFormat | "svg" | null => {
  const text = Buffer.from(head.subarray(0, sniffLength)).toString("latin1")
  const found = signatures.find(([, signature]) => signature.test(text))
  if (found !== undefined) return found[0]
  return markup.test(text) ? "svg" : null
}
