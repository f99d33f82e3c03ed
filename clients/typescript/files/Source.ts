/** Where the bytes of an upload come from: read part by part, so that a file may be larger than the memory. */

/** Bytes that an upload takes. `stream` of `@inferlog/client/node` makes a source of a stream. */
export type Uploadable = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | Source

export interface Source {
  /** Bytes. */
  readonly size: number
  /** Name of the file, where the data has one. */
  readonly name?: string | undefined
  /** Media type, where the data has one. */
  readonly type?: string | undefined
  /** The bytes from `start` up to `end`. Asked in ascending order, each byte once. */
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

export const make = (data: Uploadable): Source =>
  data instanceof Blob ? ofBlob(data) : "part" in data ? data : ofBlob(new Blob([data]))
