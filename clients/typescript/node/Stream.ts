import type { Source } from "../files/Source.ts"

export interface SourceOptions {
  /** Name of the file. */
  readonly name?: string | undefined
  /** Media type. */
  readonly type?: string | undefined
}

/**
 * A stream of `size` bytes for one upload. Holds the bytes of the parts under way only. A part can be sent again, the stream as a whole
 * cannot.
 */
export const stream = (
  bytes: ReadableStream<Uint8Array>,
  size: number,
  { name, type }: SourceOptions = {}
): Source => {
  const reader = bytes.getReader()
  let rest = new Uint8Array(0)
  let at = 0
  const readTo = async (end: number, parts?: Array<Uint8Array<ArrayBuffer>>) => {
    while (at < end) {
      const wanted = rest.subarray(0, end - at)
      parts?.push(wanted)
      at += wanted.length
      rest = rest.subarray(wanted.length)
      if (at === end) return
      const { done, value } = await reader.read()
      if (done) throw new RangeError(`The stream ended after ${at} of ${size} bytes`)
      rest = value as Uint8Array<ArrayBuffer>
    }
  }
  let turn: Promise<Blob> | undefined
  return {
    size,
    name,
    type,
    part: (start, end) => {
      const read = async () => {
        const parts: Array<Uint8Array<ArrayBuffer>> = []
        await turn
        await readTo(start)
        await readTo(end, parts)
        return new Blob(parts)
      }
      return (turn = read())
    },
    close: () => void reader.cancel().catch(() => {})
  }
}
