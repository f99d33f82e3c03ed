/**
 * A segment: archived events in the order of the log, as JSON lines in frames of zstd, each of which can be read alone. Its
 * index is a skippable frame at the end, so that `zstd -d` gives the lines. The digest is the SHA-256 of the whole file.
 */
import * as crypto from "node:crypto"
import * as zlib from "node:zlib"
import { Option, Schema } from "effect"
import { trustedVersion } from "../ExpectedVersion.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import { RecordedEvent } from "../RecordedEvent.ts"
import * as StreamName from "../StreamName.ts"
import { maxSpan } from "./FrameSpan.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Hex = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

/** A frame: its place in the file, the SHA-256 of its bytes, and the positions of its first and last event. */
export const Frame = Schema.Struct({
  offset: Count,
  length: Count,
  digest: Hex,
  first: Count,
  last: Count,
  events: Count
})
export type Frame = typeof Frame.Type

export const Index = Schema.Struct({
  format: Schema.Literal(1),
  /** The digest of the segment before. `null` for the first segment of a log. */
  previous: Schema.NullOr(Hex),
  first: Count,
  last: Count,
  events: Count,
  frames: Schema.Array(Frame)
})
export type Index = typeof Index.Type

/** Characters of the lines at which a frame is closed. */
export const frameText = 256 * 1_024
/** A frame has at most this many bytes of lines: one event may be larger than `frameText`. */
const maxFrameBytes = 256 * 1_024 * 1_024

const magic = 0x184d2a50
const mark = "ilog"
const headBytes = 8
const tailBytes = 8
const maxIndexBytes = 64 * 1_024 * 1_024

export const digestOf = (bytes: Uint8Array): string => crypto.hash("sha256", bytes, "hex")

export const keyOf = ({ first, last }: Pick<Index, "first" | "last">, digest: string): string =>
  `segment-${digits(first)}-${digits(last)}-${digest.slice(0, 16)}.jsonl.zst`
const digits = (position: number) => String(position).padStart(12, "0")

const separator = ',"data":'

/** The data comes last, as it was hashed. */
export const lineOf = ({ hash, id, ordinal, position, stream, text, time, type }: RecordedEvent): string =>
  `${JSON.stringify({ position: Number(position), stream, ordinal, id, type, time, hash }).slice(0, -1)}${separator}${text}}\n`

const Line = Schema.Struct({
  position: Count,
  stream: Schema.String,
  ordinal: Count,
  id: Schema.String,
  type: Schema.String,
  time: Schema.Int,
  hash: Schema.String
})
const isLine = Schema.is(Line)

/** Throws on a line of another form. A quote within a text is escaped, so the first separator ends the fields. */
const eventOf = (line: string): RecordedEvent => {
  const at = line.indexOf(separator)
  const fields: unknown = JSON.parse(`${line.slice(0, at)}}`)
  if (!isLine(fields)) throw new Error("a line is not an event")
  return new RecordedEvent({
    ...fields,
    position: GlobalPosition.trusted(String(fields.position)),
    stream: StreamName.trusted(fields.stream),
    version: trustedVersion(String(fields.ordinal)),
    text: line.slice(at + separator.length, -1)
  })
}

export const compress = (text: string): Buffer =>
  zlib.zstdCompressSync(text, {
    params: { [zlib.constants.ZSTD_c_compressionLevel]: 9, [zlib.constants.ZSTD_c_checksumFlag]: 1 }
  })

/** The events of a frame. Throws when the bytes are not the frame. */
export const decode = (bytes: Uint8Array, frame: Pick<Frame, "digest" | "events">): Array<RecordedEvent> => {
  if (digestOf(bytes) !== frame.digest) throw new Error("its content does not match its digest")
  const text = zlib.zstdDecompressSync(bytes, { maxOutputLength: maxFrameBytes }).toString()
  const events = text.split("\n").slice(0, -1).map(eventOf)
  if (events.length !== frame.events) throw new Error("it has another number of events")
  return events
}

/** The frame at the end of the file that has the index. */
export const encodeIndex = (index: Index): Buffer => {
  const json = Buffer.from(JSON.stringify(index))
  const head = Buffer.alloc(headBytes)
  head.writeUInt32LE(magic, 0)
  head.writeUInt32LE(json.length + tailBytes, 4)
  const tail = Buffer.alloc(tailBytes)
  tail.writeUInt32LE(json.length, 0)
  tail.write(mark, 4, "latin1")
  return Buffer.concat([head, json, tail])
}

const decodeIndex = Schema.decodeUnknownOption(Schema.fromJsonString(Index))

/** `null` when the file is not a segment. */
export const indexOf = (file: Uint8Array): Index | null => {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  if (bytes.length < headBytes + tailBytes || bytes.toString("latin1", bytes.length - 4) !== mark) return null
  const length = bytes.readUInt32LE(bytes.length - tailBytes)
  const start = bytes.length - tailBytes - length
  if (length > maxIndexBytes || start < headBytes) return null
  const index = Option.getOrNull(decodeIndex(bytes.toString("utf8", start, start + length)))
  return index !== null && isWhole(index, start - headBytes) ? index : null
}

/** Whether the frames fill the file up to the index, in order. */
const isWhole = ({ events, first, frames, last }: Index, end: number): boolean => {
  let offset = 0
  let count = 0
  let before = first - 1
  for (const frame of frames) {
    if (frame.offset !== offset || frame.first <= before || frame.last < frame.first) return false
    if (frame.last - frame.first >= maxSpan) return false
    offset += frame.length
    count += frame.events
    before = frame.last
  }
  return offset === end && count === events && before === last && frames[0]?.first === first
}
