/** Downloads a public URL to a file. Continues a partial download while the ETag is unchanged (RFC 9110, "If-Range"). */
import * as crypto from "node:crypto"
import { Effect, type Stdio, Stream } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Exchange from "#src/cli/platform/Exchange.ts"
import * as LocalFile from "./LocalFile.ts"
import { Unreachable } from "#src/cli/platform/CallErrors.ts"
import * as Retrying from "#src/cli/platform/Retrying.ts"
import * as Target from "./Target.ts"
import { CommandError } from "#src/cli/Failure.ts"
import type { TransferProgress } from "./TransferProgress.ts"

interface Options {
  readonly url: string
  readonly target: string
  /** Hex; `null` when unknown. */
  readonly sha256: string | null
  /** `total`: bytes of the file, `null` when the server does not report them. */
  readonly progress: (total: number | null) => Effect.Effect<TransferProgress, never, Stdio.Stdio>
  /** Called before each pause. */
  readonly onWait: (waiting: Retrying.Waiting) => Effect.Effect<void>
}

/** Redirects to the storage of a file that the server does not stream itself. */
const redirects = 3

/** The request ends with the scope, so that an unwanted body is not read. */
const get = Effect.fnUntraced(function* (url: string, headers: Readonly<Record<string, string>> = {}) {
  const client = yield* HttpClient.HttpClient
  const following = HttpClient.followRedirects(HttpClient.withScope(client), redirects)
  return yield* Exchange.guarded(url, () => Exchange.answered(url, following.get(url, { headers })))
})

const strongTag = ({ headers }: HttpClientResponse): string | null => {
  const tag = headers["etag"]
  return tag !== undefined && /^".+"$/.test(tag) ? tag : null
}

const numberOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null

/** First byte of a partial response; `null` for any other response. */
const startOf = ({ headers, status }: HttpClientResponse): number | null =>
  status === 206 ? numberOf(/^bytes (\d+)-/.exec(headers["content-range"] ?? "")?.[1]) : null

interface Opened {
  readonly answer: HttpClientResponse
  readonly partial: Target.Partial
  /** First byte of the response. */
  readonly start: number
  /** Bytes of the whole file, `null` when the server does not report them. */
  readonly total: number | null
}

/** Requests the whole file first, because its ETag shows whether the partial download belongs to it. */
const open = Effect.fnUntraced(function* ({ target, url }: Options) {
  const answer = yield* get(url)
  const etag = strongTag(answer)
  const total = numberOf(answer.headers["content-length"])
  const partial = Target.partial(target, url, etag)
  const whole: Opened = { answer, partial, start: 0, total }
  const { size } = partial
  if (etag === null || total === null || size === 0 || size >= total) return whole
  const rest = yield* get(url, { range: `bytes=${size}-`, "if-range": etag })
  return startOf(rest) === size && strongTag(rest) === etag ? { ...whole, answer: rest, start: size } : whole
})

/** Reads the existing bytes again for the checksum. */
const hashOf = Effect.fnUntraced(function* (file: string, length: number) {
  const hash = crypto.createHash("sha256")
  if (length > 0) {
    const local = yield* LocalFile.open(file)
    const bytes = LocalFile.bytes(local, { start: 0, length })
    yield* Stream.runForEach(bytes, (chunk) => Effect.sync(() => hash.update(chunk)))
  }
  return hash
})

const receive = Effect.fnUntraced(function* (
  options: Options,
  { answer, partial, start, total }: Opened,
  progress: TransferProgress
) {
  const hash = yield* hashOf(partial.path, start)
  const sink = yield* Target.open(partial.path, start)
  let size = start
  yield* Exchange.guarded(options.url, (moved) =>
    answer.stream.pipe(
      Stream.mapError(Exchange.unreachable(options.url)),
      Stream.runForEach((chunk) => {
        hash.update(chunk)
        size += chunk.length
        return sink.write(chunk).pipe(Effect.andThen(progress.add(chunk.length)), Effect.andThen(moved))
      })
    )
  )
  if (total !== null && size !== total) {
    const reason = `received ${size} of ${total} bytes`
    return yield* new Unreachable({ origin: new URL(options.url).origin, reason })
  }
  yield* sink.sync
  return { size, sha256: hash.digest("hex") }
})

const attempt = Effect.fnUntraced(function* (options: Options) {
  const opened = yield* open(options)
  const progress = yield* options.progress(opened.total)
  yield* progress.skip(opened.start)
  const { sha256, size } = yield* Effect.ensuring(receive(options, opened, progress), progress.clear)
  const { partial } = opened
  if (options.sha256 !== null && options.sha256 !== sha256) {
    yield* Target.discard(partial.path)
    return yield* new CommandError({
      message: `${options.target}: expected SHA-256 ${options.sha256}, got ${sha256}: the download was discarded`
    })
  }
  yield* Target.finish(partial.path, options.target)
  return { size, sha256, contentType: opened.answer.headers["content-type"] ?? null }
}, Effect.scoped)

/** Retries transient failures, and continues from the downloaded bytes. */
export const download = (options: Options) => Retrying.patiently(attempt(options), options.onWait)
