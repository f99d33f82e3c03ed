/** One POST over a connection, of whose response no more is read than tells whether it was taken. */
import { Effect, type Option } from "effect"
import type { Client, Dispatcher } from "undici"
import { OutboundError } from "./OutboundError.ts"
import type { FailureReason } from "./OutboundError.ts"
import * as SocketClient from "./SocketClient.ts"

export interface PostedMessage {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface Answer {
  readonly status: number
  /** The response was read to its end: nothing of it is left on the connection. */
  readonly isComplete: boolean
}

/** Bytes of a successful response's body. */
const maxBodyBytes = 64 * 1024

const isSuccess = (status: number) => status >= 200 && status <= 299

/**
 * Sends `message` and yields the answer, or none when the connection turned out closed before anything was sent. A 2xx is an
 * answer once its body has ended; any other status is one at once. Fails with `connection_failed` (also for what is no
 * HTTP) or `response_too_large`. It has no deadline; the caller closes the connection unless the answer is complete.
 */
export const post = (
  client: Client,
  message: PostedMessage,
  onHead: (status: number) => void
): Effect.Effect<Option.Option<Answer>, OutboundError> =>
  Effect.callback((resume) => {
    let isSent = false
    let isComplete = false
    let status = 0
    let size = 0
    const fail = (reason: FailureReason) =>
      Effect.fail(new OutboundError({ reason, ...(status !== 0 && { status }) }))
    // By then what came in one packet with the head is read, which may be all, and undici has closed what cannot be reused.
    const answer = () => queueMicrotask(() => resume(Effect.succeedSome({ status, isComplete })))
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {
        isSent = true
      },
      onResponseStart: (_controller, statusCode, headers) => {
        if (statusCode < 200) return
        status = statusCode
        onHead(status)
        if (!isSuccess(status)) answer()
        else if (Number(headers["content-length"]) > maxBodyBytes) resume(fail("response_too_large"))
      },
      onResponseData: (_controller, chunk) => {
        size += chunk.length
        if (isSuccess(status) && size > maxBodyBytes) resume(fail("response_too_large"))
      },
      onResponseEnd: () => {
        isComplete = true
        answer()
      },
      onResponseError: (_controller, cause) =>
        resume(
          Effect.flatMap(SocketClient.failureReason(cause), (reason) =>
            isSent ? fail(reason) : Effect.succeedNone
          )
        )
    }
    client.dispatch({ method: "POST", ...message }, handler)
  })
