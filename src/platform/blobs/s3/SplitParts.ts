/** Splits a stream into parts of equal size, as S3 needs them. Reuses buffers, which would be freed late. */
import { Stream } from "effect"

/** Full parts that are not used any more. */
export type Free = Array<Buffer>

export interface PartsOptions {
  /** Bytes of each part. The last part has at least one byte. */
  readonly size: number
  readonly free: Free
}

/** Bytes: the first buffer of a body that may be short, and the size of one copy. */
const leastRoom = 64 * 1024
const pieceSize = 1024 * 1024

/** A part that is being filled. */
interface Begun {
  bytes: Buffer
  length: number
  /** Size of the first buffer, bytes. A body that has filled a part is not short. */
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

/** Adds a piece and returns the part that it completes. A part is larger than a piece. */
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

/** An empty stream has no parts. */
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
