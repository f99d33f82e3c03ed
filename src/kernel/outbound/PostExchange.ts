/**
 * One POST over a connection. Its result is the head of the answer and the beginning of the body. How the body ends only decides
 * whether the connection is reused.
 */
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

/** What a receiver answered, as far as it is kept. */
export interface AnswerHead {
  /** Any status from 200. */
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The beginning of the body as sent, at most `mostKept` bytes. */
  readonly body: Uint8Array
  /** Bytes of the body that have been received. */
  readonly received: number
}

interface Answer extends AnswerHead {
  /** The response was read to its end, and no bytes are left on the connection. */
  readonly isComplete: boolean
}

/** `null` when the connection was closed before anything was sent. */
export type PostEnd = Exit.Exit<Answer | null, OutboundError>

/** How much of a body is read to make its connection reusable, in bytes and in ms. */
const maxBodyBytes = 64 * 1024
const maxBodyMs = 500

/** The most bytes of a body that are kept. */
const mostKept = 1024

const nothing = new Uint8Array()

const unsent: PostEnd = Exit.succeed(null)

/**
 * Sends `message` and calls `onEnd` once. The status is the result, whatever happens to the body; `onHead` gets it as soon as
 * it is known, with a function that returns what has arrived of the body by then. Ends with `connection_failed` also when the response is not HTTP. It has no deadline. The caller closes the
 * connection unless the answer is complete.
 */
export const post = (
  client: Client,
  { body, path, ...message }: PostedMessage,
  deadlines: Deadlines,
  onHead: (answer: () => AnswerHead) => void,
  onEnd: (end: PostEnd) => void
): void => {
  let isSent = false
  let isEnded = false
  let size = 0
  /** Bytes of the body. More of it is worth less than a new connection. */
  let mostRead = maxBodyBytes
  let status = 0
  let headers: AnswerHead["headers"] = {}
  const kept: Array<Uint8Array> = []
  let stopWaiting = () => {}

  const end = (result: PostEnd) => {
    if (isEnded) return
    isEnded = true
    stopWaiting()
    onEnd(result)
  }
  const answer = (): AnswerHead => ({
    status,
    headers,
    body: kept.length === 0 ? nothing : Buffer.concat(kept).subarray(0, mostKept),
    received: size
  })
  const answered = (isComplete: boolean) => end(Exit.succeed({ ...answer(), isComplete }))

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => {
      isSent = true
    },
    onResponseStart: (_controller, received, given) => {
      if (received < 200) return
      status = received
      headers = given
      onHead(answer)
      if (Number(headers["content-length"]) > maxBodyBytes) mostRead = mostKept - 1
      stopWaiting = deadlines.after(maxBodyMs, () => answered(false))
    },
    onResponseData: (_controller, chunk) => {
      if (size < mostKept) kept.push(chunk)
      size += chunk.length
      if (size > mostRead) answered(false)
    },
    onResponseEnd: () => answered(true),
    onResponseError: (_controller, cause) => {
      if (status > 0) answered(false)
      else end(isSent ? SocketClient.failure(cause) : unsent)
    }
  }
  client.dispatch({ method: "POST", path, headers: message.headers, body }, handler)
}
