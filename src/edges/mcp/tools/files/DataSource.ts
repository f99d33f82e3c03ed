/** The argument `data` of `upload_file`: in the message itself, or in a file when it is long. */
import { Effect, FileSystem, Stream } from "effect"
import * as DataUri from "#src/features/media/DataUri.ts"
import { sniffLength } from "#src/features/media/ImageFormat.ts"
import { BlobStoreError } from "#streams/BlobStore.ts"
import { SpooledTexts } from "../../SpooledText.ts"
import type { ToolError } from "../../ToolError.ts"
import * as FileToolErrors from "./FileToolErrors.ts"
import { type FileSource, MaxFileBytes } from "./FileSource.ts"

const alphabet = /^[A-Za-z0-9+/_-]*$/
const padded = /^([A-Za-z0-9+/_-]*)(=*)$/
const spaces = /[\t\n\r ]+/g

/** Decodes base64 (RFC 4648, 4 and 5) by chunks: either alphabet, optional padding, line ends. Refuses the rest. */
export const makeBase64Text = () => {
  /** Characters of an incomplete group of four. */
  let carried = ""
  let padding = 0

  const decode = (text: string): Uint8Array => {
    const all = carried + text
    const length = all.length - (all.length % 4)
    carried = all.slice(length)
    return Buffer.from(all.slice(0, length), "base64")
  }

  /** Returns the bytes as far as they are complete; `null` when the text is not base64. Chunks may end anywhere. */
  const push = (text: string): Uint8Array | null => {
    if (padding === 0 && alphabet.test(text)) return decode(text)
    const [match, data = "", equals = ""] = padded.exec(text.replace(spaces, "")) ?? []
    if (match === undefined || (padding > 0 && data !== "")) return null
    padding += equals.length
    return decode(data)
  }

  /** Returns the rest. */
  const end = (): Uint8Array | null => {
    const isWhole =
      padding === 0 ? carried.length !== 1 : carried.length > 1 && carried.length + padding === 4
    return isWhole ? Buffer.from(carried, "base64") : null
  }

  return { push, end }
}

/** Characters of base64 that are decoded at a time. */
const chunkSize = 256 * 1024

const unreadable = (cause: unknown) =>
  new BlobStoreError({ reason: "could not read the data of an upload", cause })

/** The length of the head before the base64, and the content type in it. Data without base64 has no head. */
const headOf = (start: string): { readonly length: number; readonly contentType: string | null } | null => {
  if (!DataUri.isDataUri(start)) return { length: 0, contentType: null }
  const head = DataUri.headOf(start)
  return head?.isBase64 === true ? { length: head.end, contentType: head.contentType } : null
}

/** Decodes base64 that arrives as `texts`. */
const decoded = <E>(texts: Stream.Stream<string, E>): Stream.Stream<Uint8Array, E | ToolError> =>
  Stream.suspend(() => {
    const base64 = makeBase64Text()
    const known = (bytes: Uint8Array | null) =>
      bytes === null ? Effect.fail(FileToolErrors.notBase64) : Effect.succeed(bytes)
    return Stream.concat(
      Stream.mapEffect(texts, (text) => known(base64.push(text))),
      Stream.fromEffect(Effect.suspend(() => known(base64.end())))
    ).pipe(Stream.filter((bytes) => bytes.length > 0))
  })

/** Reads everything once before the upload is announced, so that invalid base64 leaves no trace. */
const measure = <E>(bytes: Stream.Stream<Uint8Array, E | ToolError>, maxBytes: number) =>
  Stream.runFoldEffect(
    bytes,
    (): Pick<FileSource, "size" | "head"> => ({ size: 0, head: new Uint8Array(0) }),
    (measured, chunk) => {
      const size = measured.size + chunk.length
      if (size > maxBytes) return Effect.fail(FileToolErrors.tooLarge)
      const missing = sniffLength - measured.head.length
      const head = missing > 0 ? Buffer.concat([measured.head, chunk.subarray(0, missing)]) : measured.head
      return Effect.succeed({ size, head })
    }
  )

export const make = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const maxBytes = yield* MaxFileBytes

  const fromFile = (path: string, offset: number) =>
    fs.stream(path, { chunkSize, offset }).pipe(
      Stream.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")),
      Stream.mapError(unreadable)
    )

  const startOf = (path: string) =>
    Stream.mkString(Stream.take(fromFile(path, 0), 1)).pipe(
      Effect.map((text) => text.slice(0, DataUri.headLength))
    )

  return Effect.fnUntraced(function* (data: string) {
    const spooled = (yield* SpooledTexts).get(data)
    const start = spooled === undefined ? data.slice(0, DataUri.headLength) : yield* startOf(spooled.path)
    const claimed = headOf(start)
    if (claimed === null) return yield* FileToolErrors.notBase64
    const { contentType, length } = claimed
    const texts = spooled === undefined ? Stream.succeed(data.slice(length)) : fromFile(spooled.path, length)
    const bytes = decoded(texts)
    const measured = yield* measure(bytes, maxBytes)
    if (measured.size === 0) return yield* FileToolErrors.emptyData
    // The first reading found valid base64.
    const body = Stream.catchTag(bytes, "ToolError", (changed) => Stream.fail(unreadable(changed)))
    return { ...measured, contentType, fileName: null, body } satisfies FileSource
  })
})
