/** How stored bytes are served: content type, file name, and whether a browser may show them. */
import { Schema } from "effect"
import { essenceOf } from "#domain/file/ContentType.ts"

const token = "[A-Za-z0-9!#$&^_.+-]{1,127}"
const parameter = `[\\t ]*;[\\t ]*${token}=(?:${token}|"[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]{0,127}")`
const mediaType = new RegExp(`^${token}/${token}(?:${parameter}){0,4}$`, "u")

/** RFC 9110, section 8.3, with at most four parameters. */
export const MediaType = Schema.String.check(Schema.isPattern(mediaType))

const isMediaType = Schema.is(MediaType)

const binary = "application/octet-stream"

/** The claimed type if it is well-formed, without its parameters if only these are not, else that of arbitrary bytes. */
export const clean = (claimed: string): string => {
  const trimmed = claimed.trim()
  return [trimmed, essenceOf(trimmed)].find(isMediaType) ?? binary
}

/** Bytes of a name in UTF-8: the limit of file systems. */
const fileNameLength = 255

/** Controls, lone surrogates, line ends and direction overrides. Joiners and marks that scripts need stay. */
const invisible = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** As many of its last characters as fit. */
const shorten = (name: string): string => {
  let bytes = 0
  const shortened: Array<string> = []
  for (const character of Array.from(name).toReversed()) {
    bytes += Buffer.byteLength(character)
    if (bytes > fileNameLength) break
    shortened.push(character)
  }
  return shortened.toReversed().join("")
}

/** One path segment of at most 255 bytes without control characters and lone surrogates; `file` if nothing remains. */
export const cleanFileName = (name: string): string => {
  const segment = name.split(/[/\\]/).at(-1) ?? ""
  const visible = segment
    .slice(-4 * fileNameLength)
    .replace(invisible, "")
    .trim()
  const shortened = shorten(visible)
  return /^\.*$/.test(shortened) ? "file" : shortened
}

/** Pictures, sound and film that browsers do not execute. SVG and other XML can contain scripts. */
const isPassive = (contentType: string): boolean => {
  const type = essenceOf(contentType)
  return /^(?:image|audio|video)\//.test(type) && !/xml|svg|html/.test(type)
}

const quotable = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/g

/** The `Content-Disposition` (RFC 6266): `inline` for passive media, else `attachment`. */
export const disposition = (contentType: string, fileName: string): string => {
  const kind = isPassive(contentType) ? "inline" : "attachment"
  const extended = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${Buffer.from(character).toString("hex").toUpperCase()}`
  )
  return `${kind}; filename="${fileName.replace(quotable, "_")}"; filename*=UTF-8''${extended}`
}
