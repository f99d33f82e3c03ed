/** How a PUT to a presigned URL is sent, so that the caller learns how many of its bytes are on their way. */

export interface SendInit extends RequestInit {
  readonly method: string
  readonly headers: Headers
  readonly signal: AbortSignal
}

/** In place of `fetch`. */
export type Send = (url: string, init: SendInit) => Promise<Response>

interface Sending {
  readonly body: Blob
  /** Called with the bytes of `body` that were sent so far. */
  readonly onSent: (bytes: number) => void
}

/** What is read of an answer. */
const answered = ["content-type", "etag", "retry-after", "x-request-id"]

/** `fetch` of pages does not tell how much it has sent. */
const byXhr =
  ({ body, onSent }: Sending): Send =>
  (url, { headers, method, signal }) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      const abort = () => request.abort()
      signal.addEventListener("abort", abort)
      request.upload.addEventListener("progress", ({ loaded }) => onSent(loaded))
      // Last of all, whether it was answered, aborted or broken off. Only an answer has a status.
      request.addEventListener("loadend", () => {
        signal.removeEventListener("abort", abort)
        const { responseText, status } = request
        if (status === 0) return reject(signal.reason ?? new TypeError("The connection failed"))
        const found = new Headers()
        for (const name of answered) {
          const value = request.getResponseHeader(name)
          if (value !== null) found.set(name, value)
        }
        resolve(new Response(responseText || null, { status, headers: found }))
      })
      request.open(method, url)
      for (const [name, value] of headers) request.setRequestHeader(name, value)
      request.send(body)
    })

/**
 * Only Node sends a stream with the `Content-Length` that it is given, and S3 takes no other. Other runtimes have a `process`, too; Node
 * has a `navigator` since version 21.
 */
const isNode = (): boolean =>
  typeof navigator === "undefined" ? "process" in globalThis : String(navigator.userAgent).startsWith("Node")

const byFetch =
  (fetch: typeof globalThis.fetch, { body, onSent }: Sending): Send =>
  async (url, init) => {
    if (!isNode() || body.size === 0) return fetch(url, { ...init, body })
    let sent = 0
    const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (bytes, controller) => {
        onSent((sent += bytes.length))
        controller.enqueue(bytes)
      }
    })
    init.headers.set("content-length", `${body.size}`)
    const streamed = { ...init, body: body.stream().pipeThrough(counting), duplex: "half" }
    return fetch(url, streamed)
  }

/** What S3 says in XML, in the envelope of inferlog's errors. */
const translated = async (answer: Response): Promise<Response> => {
  const { headers, ok, status } = answer
  if (ok || !headers.get("content-type")?.includes("xml")) return answer
  const xml = await answer.text()
  const textOf = (name: string) => xml.split(`<${name}>`)[1]?.split("<")[0]
  const code = textOf("Code")
  const details = /expired/i.test(xml) ? { code: "URL_EXPIRED" } : {}
  // 400: the store had waited too long for the bytes.
  const meant = details.code ? 403 : code === "RequestTimeout" ? 408 : status
  return Response.json({ error: textOf("Message") ?? code, details }, { status: meant, headers })
}

/** @param fetch a caller's own, which is used where there is one. */
export const sendOf = (fetch: typeof globalThis.fetch | undefined, sending: Sending): Send => {
  const send =
    fetch === undefined && typeof XMLHttpRequest === "function"
      ? byXhr(sending)
      : byFetch(fetch ?? globalThis.fetch, sending)
  return async (url, init) => translated(await send(url, init))
}
