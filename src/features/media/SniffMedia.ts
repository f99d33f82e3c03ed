/**
 * The type to store and serve a file as: from its first bytes, or else the claimed type if that is passive. Does not
 * use `file-type`, which reports Theora as `application/ogg` (see the tests), returns types that browsers run, and is
 * asynchronous.
 */
import { essenceOf } from "#domain/file/ContentType.ts"
import { type ImageFormat, sniff as sniffImage } from "./ImageFormat.ts"
import * as MediaType from "./MediaType.ts"

export interface FileType {
  /** Never a type that browsers execute. */
  readonly contentType: string
  /** Without the dot. */
  readonly extension: string
}

const type = (contentType: string, extension: string): FileType => ({ contentType, extension })

const images: Readonly<Record<ImageFormat, FileType>> = {
  png: type("image/png", "png"),
  jpeg: type("image/jpeg", "jpg"),
  webp: type("image/webp", "webp"),
  gif: type("image/gif", "gif"),
  avif: type("image/avif", "avif"),
  tiff: type("image/tiff", "tiff")
}

const mp3 = type("audio/mpeg", "mp3")

/** On the first bytes as Latin-1. The first match counts, so the order matters. */
const signatures: ReadonlyArray<readonly [RegExp, FileType]> = [
  [/^[^]{4}ftypqt {2}/, type("video/quicktime", "mov")],
  [/^[^]{4}ftypM4[AB] /, type("audio/mp4", "m4a")],
  [
    /^[^]{4}ftyp(?:iso[m0-9]|mp4[12]|avc1|av01|dash|M4V[ HP]|MSNV|f4v |mmp4|3g[2p][0-9a-z])/,
    type("video/mp4", "mp4")
  ],
  [/^[^]{4}(?:moov|mdat|wide)/, type("video/quicktime", "mov")],
  [/^[^]E\xdf\xa3[^]{0,80}B\x82[^]{1,8}webm/, type("video/webm", "webm")],
  [/^[^]E\xdf\xa3[^]{0,80}B\x82[^]{1,8}matroska/, type("video/x-matroska", "mkv")],
  [/^ID3/, mp3],
  [/^RIFF[^]{4}WAVE/, type("audio/wav", "wav")],
  [/^OggS[^]{0,80}\x80theora/, type("video/ogg", "ogv")],
  [/^OggS\0/, type("audio/ogg", "ogg")],
  [/^fLaC/, type("audio/flac", "flac")]
]

/** An MPEG layer III frame without a tag: with a valid version, bit rate and sampling rate. */
const isMp3Frame = ([first = 0, second = 0, third = 0]: Uint8Array): boolean =>
  first === 0xff &&
  [0xe2, 0xe3, 0xf2, 0xf3, 0xfa, 0xfb].includes(second) &&
  third >= 0x10 &&
  third < 0xf0 &&
  (third & 0x0c) !== 0x0c

const unknown = type("application/octet-stream", "bin")

/** Types that browsers execute, or unpack into such types. */
const active = /[/+]xml$|html|svg|(?:java|ecma|live|j)script|\/css$|wasm|flash|^(?:multipart|message)\//

/** For claimed types. */
const extensions: Readonly<Record<string, string>> = {
  "application/json": "json",
  "application/pdf": "pdf",
  "application/zip": "zip",
  "audio/aac": "aac",
  "image/bmp": "bmp",
  "image/heic": "heic",
  "model/gltf-binary": "glb",
  "text/csv": "csv",
  "text/plain": "txt"
}

/** The claimed type, if it is well-formed and passive. */
const claimedType = (claimed: string | null): FileType => {
  const contentType = MediaType.clean(claimed ?? "")
  const essence = essenceOf(contentType)
  return active.test(essence) ? unknown : type(contentType, extensions[essence] ?? unknown.extension)
}

/** @param head the first `sniffLength` bytes, or the whole file. */
export const fileType = (head: Uint8Array, claimed: string | null): FileType => {
  const image = sniffImage(head)
  if (image === "svg") return unknown
  if (image !== null) return images[image]
  const text = Buffer.from(head).toString("latin1")
  const known = signatures.find(([signature]) => signature.test(text))
  if (known !== undefined) return known[1]
  return isMp3Frame(head) ? mp3 : claimedType(claimed)
}
