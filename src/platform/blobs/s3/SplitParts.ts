/**
 * A stream of bytes in parts of one size, as S3 takes them. Chunks are copied at once: kept, each would outlive its time.
 * The buffers of parts are used again, since the collector is late with what lies outside its heap.
 */
import { Stream } from "effect"

/** Full parts that nobody needs any more. */
export type Free = Array<Buffer>

export interface PartsOptions {
  /** Bytes of each part but the last, which has at least one. */
  readonly size: number
  readonly free: Free
}

/** Bytes: of the room for a body that may be short, and of what is copied at a time. */
const leastRoom = 64 * 1024
const pieceSize = 1024 * 1024

/** The beginning of a part. */
interface Begun {
  bytes: Buffer
  length: number
  /** Bytes to make room for at first: a body that has filled a part is not short. */
  room: number
}

const allocate = (room: number, { free, size }: PartsOptions): Buffer =>
  (room === size ? free.pop() : undefined) ?? Buffer.allocUnsafeSlow(room)

const append = (begun: Begun, chunk: Uint8Array, options: PartsOptions): void => {
  const length = begun.length + chunk.length
  if (length > begun.bytes.length) {
    const room = Math.min(options.size, Math.max(length, begun.room, 2 * begun.bytes.length))
    const bytes = allocate(room, options)
    bytes.set(begun.bytes.subarray(0, begun.length))
    begun.bytes = bytes
  }
  begun.bytes.set(chunk, begun.length)
  begun.length = length
}

const end = (begun: Begun, { size }: PartsOptions): Buffer => {
  const part = begun.length === size ? begun.bytes : begun.bytes.subarray(0, begun.length)
  begun.bytes = Buffer.of()
  begun.length = 0
  begun.room = size
  return part
}

/** The part that a piece makes whole. A part has room for more than one piece. */
const take = (begun: Begun, piece: Uint8Array, options: PartsOptions): ReadonlyArray<Buffer> => {
  const now = piece.subarray(0, options.size - begun.length)
  append(begun, now, options)
  if (begun.length < options.size) return []
  const part = end(begun, options)
  if (now.length < piece.length) append(begun, piece.subarray(now.length), options)
  return [part]
}

const piecesOf = (chunk: Uint8Array): ReadonlyArray<Uint8Array> =>
  chunk.length <= pieceSize
    ? [chunk]
    : Array.from({ length: Math.ceil(chunk.length / pieceSize) }, (_, index) =>
        chunk.subarray(index * pieceSize, (index + 1) * pieceSize)
      )

/** A stream of no bytes has no parts. */
export const splitParts = <E, R>(
  body: Stream.Stream<Uint8Array, E, R>,
  options: PartsOptions
): Stream.Stream<Buffer, E, R> =>
  body.pipe(
    Stream.map(piecesOf),
    Stream.flattenIterable,
    Stream.rechunk(1),
    Stream.mapAccum(
      (): Begun => ({ bytes: Buffer.of(), length: 0, room: leastRoom }),
      (begun, piece) => [begun, take(begun, piece, options)] as const,
      { onHalt: (begun) => (begun.length === 0 ? [] : [end(begun, options)]) }
    )
  )
