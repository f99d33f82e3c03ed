/**
 * Decodes the content codings of an answer (RFC 9110 8.4) as it arrives. Calls ask for none, but some servers and proxies
 * compress anyway. Reports of workers may be compressed, too.
 */
import { Effect } from "effect"
import * as Bytes from "#src/kernel/text/Bytes.ts"
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

/** The codings that are decoded, for `Accept-Encoding`. */
export const accepted = "gzip, deflate, br, zstd"

const namesIn = (header: string): ReadonlyArray<string> =>
  header
    .toLowerCase()
    .split(",")
    .flatMap((name) => (["", "identity"].includes(name.trim()) ? [] : [name.trim()]))

/** The only coding; `null` without one, for several, which servers do not combine, and for an unknown one. */
export const nameIn = (header: string): string | null => {
  const names = namesIn(header)
  const [name = ""] = names
  return names.length === 1 && Object.hasOwn(codings, name) ? name : null
}

/** Whether content with this `Content-Encoding` can be decoded, or needs no decoding. */
export const isAccepted = (header: string): boolean => namesIn(header).length === 0 || nameIn(header) !== null

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
  const coding = codings[nameIn(header) ?? ""]
  return coding === undefined
    ? { source: plain(sink), headers }
    : { source: decoded(coding, sink), headers: rest }
}

/** Decodes a whole body. Stops as soon as the content exceeds `limit` bytes. */
export const whole = (
  body: Uint8Array,
  { coding, limit }: { readonly coding: string; readonly limit: number }
): Effect.Effect<Uint8Array, "too_large" | "undecodable"> =>
  Effect.callback((resume) => {
    const content = Bytes.make()
    const sink: Sink = {
      add: (part) => {
        content.add(part)
        const isLarge = content.size() > limit
        if (isLarge) resume(Effect.fail("too_large"))
        return !isLarge
      },
      end: () => resume(Effect.succeed(content.whole())),
      fail: () => resume(Effect.fail("undecodable"))
    }
    const { source } = into(sink, { "content-encoding": coding })
    source.add(body)
    source.end()
    return Effect.sync(source.close)
  })
