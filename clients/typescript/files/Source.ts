/** Where the bytes of an upload come from: read part by part, so that a file may be larger than the memory. */

/** Bytes that an upload takes. A stream needs the `size` option. */
export type Uploadable = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | ReadableStream<Uint8Array>

export interface Source {
  /** Bytes. */
  readonly size: number
  /** Name of the file, where the data has one. */
  readonly name?: string | undefined
  /** Media type, where the data has one. */
  readonly type?: string | undefined
  /** The bytes from `start` up to `end`. A stream must be asked in ascending order. */
  readonly part: (start: number, end: number) => Promise<Blob>
  /** Lets go of what was not read. */
  readonly close?: () => void
}

const ofBlob = (blob: Blob): Source => ({
  size: blob.size,
  name: "name" in blob ? String(blob.name) : undefined,
  type: blob.type,
  part: async (start, end) => blob.slice(start, end)
})

/** Holds the bytes of the parts under way only. */
const ofStream = (stream: ReadableStream<Uint8Array>, size: number): Source => {
  const reader = stream.getReader()
  let rest = new Uint8Array(0)
  let at = 0
  const readTo = async (end: number, parts?: Array<Uint8Array<ArrayBuffer>>) => {
    while (at < end) {
      const bytes = rest.subarray(0, end - at)
      parts?.push(bytes)
      at += bytes.length
      rest = rest.subarray(bytes.length)
      if (at === end) return
      const { done, value } = await reader.read()
      if (done) throw new RangeError(`The stream ended after ${at} of ${size} bytes`)
      rest = value as Uint8Array<ArrayBuffer>
    }
  }
  let turn: Promise<Blob> | undefined
  return {
    size,
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

/** @param size bytes; needed for a stream. */
export const make = (data: Uploadable, size: number | undefined): Source => {
  if (data instanceof Blob) return ofBlob(data)
  if (!(data instanceof ReadableStream)) return ofBlob(new Blob([data]))
  if (size === undefined) throw new TypeError("A stream needs `size`")
  return ofStream(data, size)
}
