/** A stream of bytes in parts of one size, as S3 takes them. */
import { Stream } from "effect"

interface Held {
  readonly chunks: Array<Uint8Array>
  length: number
}

/** All parts that are whole. */
const take = (held: Held, size: number): ReadonlyArray<Uint8Array> => {
  if (held.length < size) return []
  const bytes = Buffer.concat(held.chunks)
  const whole = bytes.length - (bytes.length % size)
  const rest = bytes.subarray(whole)
  held.chunks.splice(0, held.chunks.length, ...(rest.length === 0 ? [] : [new Uint8Array(rest)]))
  held.length = rest.length
  return Array.from({ length: whole / size }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
}

/** @param size bytes of each part but the last, which has at least one. A stream of no bytes has no parts. */
export const partsOf = <E, R>(
  body: Stream.Stream<Uint8Array, E, R>,
  size: number
): Stream.Stream<Uint8Array, E, R> =>
  body.pipe(
    Stream.rechunk(1),
    Stream.mapAccum(
      (): Held => ({ chunks: [], length: 0 }),
      (held, chunk) => {
        held.chunks.push(chunk)
        held.length += chunk.length
        return [held, take(held, size)] as const
      },
      { onHalt: ({ chunks, length }) => (length === 0 ? [] : [Buffer.concat(chunks)]) }
    )
  )
