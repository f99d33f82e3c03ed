/** Sends bytes of a local file to a presigned URL (contract, "Uploads"), which needs no key. */
import { Effect, Stream } from "effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Exchange from "#src/cli/platform/Exchange.ts"
import * as LocalFile from "./LocalFile.ts"
import type { TransferProgress } from "./TransferProgress.ts"

interface Options {
  readonly url: string
  readonly file: LocalFile.LocalFile
  readonly range: LocalFile.Range
  readonly contentType: string
  readonly progress: TransferProgress
}

const withBody = (
  request: HttpClientRequest.HttpClientRequest,
  { contentType, file, range }: Options,
  count: (bytes: number) => Effect.Effect<void>
) =>
  range.length === 0
    ? HttpClientRequest.bodyUint8Array(request, new Uint8Array(0), contentType)
    : HttpClientRequest.bodyStream(
        request,
        Stream.tap(LocalFile.bytes(file, range), (chunk) => count(chunk.length)),
        { contentType, contentLength: range.length }
      )

/** One try. Reads the bytes twice: first for the MD5 that the server checks, then to send them. Returns the ETag without quotes. */
export const put = Effect.fnUntraced(function* (options: Options) {
  const { file, progress, range, url } = options
  const digest = yield* LocalFile.md5(file, range)
  let sent = 0
  const count = (bytes: number) =>
    Effect.suspend(() => {
      sent += bytes
      return progress.add(bytes)
    })
  const takeBack = Effect.suspend(() => progress.add(-sent))
  const request = HttpClientRequest.put(url).pipe(
    HttpClientRequest.setHeader("content-md5", digest.toString("base64"))
  )
  const answer = yield* Exchange.guarded(url, (moved) =>
    Exchange.send(withBody(request, options, (bytes) => Effect.andThen(moved, count(bytes)))).pipe(
      Effect.tap((answer) => Effect.ignore(answer.text))
    )
  ).pipe(
    // A changed file explains any other failure.
    Effect.tapError(() => Effect.andThen(takeBack, LocalFile.requireUnchanged(file)))
  )
  yield* LocalFile.requireUnchanged(file)
  return (answer.headers["etag"] ?? "").replace(/^(?:W\/)?"(.*)"$/, "$1")
})
