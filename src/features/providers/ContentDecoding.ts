/**
 * Decodes the content codings of an answer (RFC 9110 8.4) as it arrives. Calls ask for none, but some servers and proxies
 * compress anyway.
 */
import type { Transform } from "node:stream"
import * as zlib from "node:zlib"

export interface Sink {
  /** `false`: no more is wanted. */
  readonly add: (part: Uint8Array) => boolean
  readonly end: () => void
  /** The content cannot be decoded. */
  readonly fail: () => void
}

export interface Source {
  readonly add: (part: Uint8Array) => void
  readonly end: () => void
  /** Nothing more is wanted. */
  readonly close: () => void
}

/** Some servers send deflate without the zlib header that the coding has. */
const inflate = (first: Uint8Array): Transform =>
  ((first[0] ?? 0) & 0x0f) === 0x08 ? zlib.createInflate() : zlib.createInflateRaw()

const codings: Readonly<Record<string, (first: Uint8Array) => Transform>> = {
  gzip: () => zlib.createGunzip(),
  "x-gzip": () => zlib.createGunzip(),
  deflate: inflate,
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress()
}

/** The only coding; `null` without one, for several, which servers do not combine, and for an unknown one. */
const codingIn = (header: string): ((first: Uint8Array) => Transform) | null => {
  const names = header
    .toLowerCase()
    .split(",")
    .flatMap((name) => (["", "identity"].includes(name.trim()) ? [] : [name.trim()]))
  const [name = ""] = names
  return names.length === 1 && Object.hasOwn(codings, name) ? (codings[name] ?? null) : null
}

const plain = (sink: Sink): Source => ({
  add: (part) => void sink.add(part),
  end: sink.end,
  close: () => undefined
})

/** One coding. The decoder is made for the first byte, because an empty body is not encoded. */
const decoded = (makeDecoder: (first: Uint8Array) => Transform, sink: Sink): Source => {
  let decoder: Transform | null = null
  let isClosed = false

  const close = () => {
    isClosed = true
    decoder?.destroy()
  }

  const open = (first: Uint8Array): Transform =>
    makeDecoder(first)
      .on("data", (part: Buffer) => {
        if (!isClosed && !sink.add(part)) close()
      })
      .on("end", () => {
        if (!isClosed) sink.end()
      })
      .on("error", () => {
        if (isClosed) return
        close()
        sink.fail()
      })

  return {
    add: (part) => {
      if (isClosed || part.length === 0) return
      decoder ??= open(part)
      decoder.write(part)
    },
    end: () => {
      if (isClosed) return
      if (decoder === null) sink.end()
      else decoder.end()
    },
    close
  }
}

/** Passes the content on to `sink`. Content that is not decoded passes as it is, and keeps its header. */
export const into = (
  sink: Sink,
  headers: Readonly<Record<string, string>>
): { readonly source: Source; readonly headers: Readonly<Record<string, string>> } => {
  const { "content-encoding": header = "", ...rest } = headers
  const coding = codingIn(header)
  return coding === null ? { source: plain(sink), headers } : { source: decoded(coding, sink), headers: rest }
}
