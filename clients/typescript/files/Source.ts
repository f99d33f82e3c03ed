/** Where the bytes of an upload come from: read part by part, so that a file may be larger than the memory. */

/** Bytes that an upload takes. A stream needs the `size` option. */
export type Uploadable = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | ReadableStream<Uint8Array>

export interface Source {
  /** Bytes. */
  readonly size: number
  /** Name of the file, where the data has one. */
  readonly name: string | undefined
  /** Media type, where the data has one. */
  readonly type: string | undefined
  /** The bytes from `start` up to `end`. A stream must be asked in ascending order. */
  readonly part: (start: number, end: number) => Promise<Blob>
  /** Lets go of what was not read. */
  readonly close: () => void
}

const ofBlob = (blob: Blob): Source => ({
  size: blob.size,
  name: "name" in blob && typeof blob.name === "string" ? blob.name : undefined,
  type: blob.type === "" ? undefined : blob.type,
  part: async (start, end) => (start === 0 && end === blob.size ? blob : blob.slice(start, end)),
  close: () => {}
})

/** Holds the bytes of the parts under way only. */
const ofStream = (stream: ReadableStream<Uint8Array>, size: number): Source => {
  const reader = stream.getReader()
  let rest = new Uint8Array(0)
  let at = 0
  const upTo = async (end: number, take: (bytes: Uint8Array<ArrayBuffer>) => void) => {
    while (at < end) {
      if (rest.length === 0) {
        const { done, value } = await reader.read()
        if (done) throw new RangeError(`The stream ended after ${at} of ${size} bytes`)
        rest = new Uint8Array(value)
      }
      const bytes = rest.subarray(0, end - at)
      rest = rest.subarray(bytes.length)
      at += bytes.length
      take(bytes)
    }
  }
  let turn: Promise<unknown> = Promise.resolve()
  const read = async (start: number, end: number) => {
    const parts: Array<Uint8Array<ArrayBuffer>> = []
    await upTo(start, () => {})
    await upTo(end, (bytes) => parts.push(bytes))
    return new Blob(parts)
  }
  return {
    size,
    name: undefined,
    type: undefined,
    part: (start, end) => {
      const mine = turn.then(() => read(start, end))
      turn = mine.catch(() => {})
      return mine
    },
    close: () => void reader.cancel().catch(() => {})
  }
}

/** @param size bytes; needed for a stream. */
export const make = (data: Uploadable, size: number | undefined): Source => {
  if (data instanceof Blob) return ofBlob(data)
  if (!(data instanceof ReadableStream)) return ofBlob(new Blob([data]))
  if (size === undefined) throw new TypeError("The upload of a stream needs `size`")
  return ofStream(data, size)
}
