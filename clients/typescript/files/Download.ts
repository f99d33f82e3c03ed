/** Downloads that go on after a cut, as long as the file is the same (RFC 9110, "If-Range"). */
import { Broken } from "../Attempts.ts"
import type { Http, Opened } from "../Http.ts"
import { type CallOptions, CallScope } from "../Scope.ts"

export interface DownloadOptions extends CallOptions {
  /** The first byte to read. With `etag`, a file that has changed is read from its beginning: the status is then 200 and not 206. */
  readonly offset?: number | undefined
  /** The `ETag` of the answer that brought the bytes before `offset`. */
  readonly etag?: string | undefined
}

const strongTag = (headers: Headers): string | undefined => /^".+"$/.exec(headers.get("etag") ?? "")?.[0]

const rangeFrom = (offset: number, etag: string | undefined) =>
  offset > 0 ? { range: `bytes=${offset}-`, "if-range": etag } : {}

/** The offset behind the last byte of the answer; `null` if it is not announced. */
const endOf = ({ headers }: Response, start: number): number | null => {
  const length = headers.get("content-length")
  return length === null || headers.has("content-encoding") ? null : start + Number(length)
}

/** The signal and the deadline hold until the body has been read. */
export const open = async (http: Http, url: string, options: DownloadOptions): Promise<Response> => {
  const scope = new CallScope(options, http.clock.now())
  const attempts = http.attempts(scope)
  const get = (from: number, etag: string | undefined) =>
    http.open(
      { host: "none", path: url, headers: rangeFrom(from, etag), redirect: "follow" },
      scope,
      attempts
    )

  let opened: Opened
  try {
    scope.check()
    opened = await get(options.offset ?? 0, options.etag)
  } catch (error) {
    scope.end()
    throw error
  }
  const { response } = opened
  const start = response.status === 206 ? (options.offset ?? 0) : 0
  const end = endOf(response, start)
  const etag = response.headers.has("content-encoding") ? undefined : strongTag(response.headers)

  async function* bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    let at = start
    try {
      while (true) {
        try {
          for await (const chunk of opened.chunks) {
            at += chunk.length
            attempts.begunAnew()
            yield chunk
          }
          if (end === null || at >= end) return
          throw new Broken("cut off", undefined)
        } catch (error) {
          if (!(error instanceof Broken)) throw error
          await attempts.next(error, etag !== undefined)
          opened = await get(at, etag)
          const { headers, status } = opened.response
          // The file is another one by now.
          if (at > 0 && (status !== 206 || strongTag(headers) !== etag)) throw error.failure
        }
      }
    } finally {
      opened.close()
      scope.end()
    }
  }

  const reading = bytes()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => {
        const { done, value } = await reading.next()
        if (done) controller.close()
        else controller.enqueue(value as Uint8Array<ArrayBuffer>)
      },
      cancel: async () => {
        scope.abort(undefined)
        await reading.return()
      }
    },
    { highWaterMark: 0 }
  )
  const { headers, status } = response
  return new Response(body, { status, headers })
}
