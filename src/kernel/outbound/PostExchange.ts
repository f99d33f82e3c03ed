/** One POST over a connection. Its result is the status; the body only decides whether the connection is reused. */
import { Exit } from "effect"
import type { Client, Dispatcher } from "undici"
import type { Deadlines } from "#src/kernel/time/Deadlines.ts"
import type { OutboundError } from "./OutboundError.ts"
import * as SocketClient from "./SocketClient.ts"

export interface PostedMessage {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

interface Answer {
  readonly status: number
  /** The response was read to its end, and no bytes are left on the connection. */
  readonly isComplete: boolean
}

/** `null` when the connection was closed before anything was sent. */
export type PostEnd = Exit.Exit<Answer | null, OutboundError>

/** How much of a body is read to make its connection reusable, in bytes and in ms. */
const maxBodyBytes = 64 * 1024
const maxBodyMs = 500

const unsent: PostEnd = Exit.succeed(null)

/**
 * Sends `message` and calls `onEnd` once. The status is the result, whatever happens to the body; `onHead` gets it as soon as
 * it is known. Ends with `connection_failed` also when the response is not HTTP. It has no deadline. The caller closes the
 * connection unless the answer is complete.
 */
export const post = (
  client: Client,
  { body, headers, path }: PostedMessage,
  deadlines: Deadlines,
  onHead: (status: number) => void,
  onEnd: (end: PostEnd) => void
): void => {
  let isSent = false
  let isEnded = false
  let size = 0
  let status = 0
  let stopWaiting = () => {}

  const end = (result: PostEnd) => {
    if (isEnded) return
    isEnded = true
    stopWaiting()
    onEnd(result)
  }
  const answered = (isComplete: boolean) => end(Exit.succeed({ status, isComplete }))

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => {
      isSent = true
    },
    onResponseStart: (_controller, received, headers) => {
      if (received < 200) return
      status = received
      onHead(status)
      if (Number(headers["content-length"]) > maxBodyBytes) return answered(false)
      stopWaiting = deadlines.after(maxBodyMs, () => answered(false))
    },
    onResponseData: (_controller, chunk) => {
      size += chunk.length
      if (size > maxBodyBytes) answered(false)
    },
    onResponseEnd: () => answered(true),
    onResponseError: (_controller, cause) => {
      if (status > 0) answered(false)
      else end(isSent ? SocketClient.failure(cause) : unsent)
    }
  }
  client.dispatch({ method: "POST", path, headers, body }, handler)
}
