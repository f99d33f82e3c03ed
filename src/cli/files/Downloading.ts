/** Downloads a public URL to a file. Continues a partial download while the ETag is unchanged (RFC 9110, "If-Range"). */
import * as crypto from "node:crypto"
import { Effect, type Stdio, Stream } from "effect"
import type { DownloadOptions } from "#clients/typescript/files/Download.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as CallError from "#src/cli/platform/CallError.ts"
import { Platform } from "#src/cli/platform/Platform.ts"
import * as LocalFile from "./LocalFile.ts"
import * as Target from "./Target.ts"
import type { TransferProgress } from "./TransferProgress.ts"

interface Options {
  readonly url: string
  readonly target: string
  /** Hex; `null` when unknown. */
  readonly sha256: string | null
  /** `total`: bytes of the file, `null` when the server does not report them. */
  readonly progress: (total: number | null) => Effect.Effect<TransferProgress, never, Stdio.Stdio>
  /** Reports in one line why it pauses. By default it goes to stderr. */
  readonly onWait?: (text: string) => void
}

const strongTag = ({ headers }: Response): string | null => {
  const tag = headers.get("etag")
  return tag !== null && /^".+"$/.test(tag) ? tag : null
}

const lengthOf = ({ headers }: Response): number | null => {
  const length = headers.get("content-length")
  return length === null || headers.has("content-encoding") ? null : Number(length)
}

/** The request ends with the scope. */
const get = Effect.fnUntraced(function* ({ onWait, url }: Options, from: DownloadOptions = {}) {
  const { connect } = yield* Platform
  const ended = new AbortController()
  yield* Effect.addFinalizer(() => Effect.sync(() => ended.abort()))
  const client = connect(onWait && { onWait })
  return yield* Effect.tryPromise({
    try: () => client.files.download(url, { ...from, signal: ended.signal }),
    catch: CallError.of(url)
  })
})

interface Opened {
  readonly answer: Response
  readonly partial: Target.Partial
  /** First byte of the response. */
  readonly start: number
  /** Bytes of the whole file, `null` when the server does not report them. */
  readonly total: number | null
}

/** Requests the whole file first, because its ETag shows whether the partial download belongs to it. */
const open = Effect.fnUntraced(function* (options: Options) {
  const answer = yield* get(options)
  const etag = strongTag(answer)
  const total = lengthOf(answer)
  const partial = Target.partial(options.target, options.url, etag)
  const whole: Opened = { answer, partial, start: 0, total }
  const { size: offset } = partial
  if (etag === null || total === null || offset === 0 || offset >= total) return whole
  yield* Effect.promise(async () => answer.body?.cancel())
  const rest = yield* get(options, { offset, etag })
  return { ...whole, answer: rest, start: rest.status === 206 ? offset : 0 }
})

/** Reads the existing bytes again for the checksum. */
const hashOf = Effect.fnUntraced(function* (file: string, length: number) {
  const hash = crypto.createHash("sha256")
  if (length > 0) {
    const { blob } = yield* LocalFile.open(file)
    yield* Effect.promise(async () => {
      for await (const chunk of blob.slice(0, length).stream()) hash.update(chunk)
    })
  }
  return hash
})

const receive = Effect.fnUntraced(function* (
  url: string,
  { answer, partial, start }: Opened,
  progress: TransferProgress
) {
  const hash = yield* hashOf(partial.path, start)
  const sink = yield* Target.open(partial.path, start)
  let size = start
  const bytes = Stream.fromReadableStream({
    evaluate: () => answer.body ?? new Blob([]).stream(),
    onError: CallError.of(url)
  })
  yield* Stream.runForEach(bytes, (chunk) => {
    hash.update(chunk)
    size += chunk.length
    return Effect.andThen(sink.write(chunk), progress.add(chunk.length))
  })
  yield* sink.sync
  return { size, sha256: hash.digest("hex") }
})

/** Retries transient failures, and continues from the downloaded bytes. */
export const download = Effect.fnUntraced(function* (options: Options) {
  const opened = yield* open(options)
  const progress = yield* options.progress(opened.total)
  yield* progress.skip(opened.start)
  const { sha256, size } = yield* Effect.ensuring(receive(options.url, opened, progress), progress.clear)
  const { partial } = opened
  if (options.sha256 !== null && options.sha256 !== sha256) {
    yield* Target.discard(partial.path)
    return yield* new CommandError({
      message: `${options.target}: expected SHA-256 ${options.sha256}, got ${sha256}: the download was discarded`
    })
  }
  yield* Target.finish(partial.path, options.target)
  return { size, sha256, contentType: opened.answer.headers.get("content-type") }
}, Effect.scoped)
