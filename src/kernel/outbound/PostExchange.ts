/** One POST over a connection. Its result is the status; the body only decides whether the connection is reused. */
import { Effect, Option } from "effect"
import type { Client, Dispatcher } from "undici"
import { OutboundError } from "./OutboundError.ts"
import * as SocketClient from "./SocketClient.ts"

export interface PostedMessage {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface Answer {
  readonly status: number
  /** The response was read to its end, and no bytes are left on the connection. */
  readonly isComplete: boolean
}

interface Head {
  readonly status: number
  /** Ends with the body, after `maxBodyBytes`, or with the connection. `true` if no bytes are left on the connection. */
  readonly rest: Effect.Effect<boolean>
}

/** How much of a body is read to make its connection reusable, in bytes and in time. */
const maxBodyBytes = 64 * 1024
const maxBodyTime = "500 millis"

const send = (client: Client, message: PostedMessage): Effect.Effect<Option.Option<Head>, OutboundError> =>
  Effect.callback((resume) => {
    let isSent = false
    let size = 0
    const body = Promise.withResolvers<boolean>()
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {
        isSent = true
      },
      onResponseStart: (_controller, status, headers) => {
        if (status < 200) return
        if (Number(headers["content-length"]) > maxBodyBytes) body.resolve(false)
        resume(Effect.succeedSome({ status, rest: Effect.promise(() => body.promise) }))
      },
      onResponseData: (_controller, chunk) => {
        size += chunk.length
        if (size > maxBodyBytes) body.resolve(false)
      },
      onResponseEnd: () => body.resolve(true),
      onResponseError: (_controller, cause) => {
        body.resolve(false)
        resume(
          Effect.flatMap(SocketClient.failureReason(cause), (reason) =>
            isSent ? Effect.fail(new OutboundError({ reason })) : Effect.succeedNone
          )
        )
      }
    }
    client.dispatch({ method: "POST", ...message }, handler)
  })

/**
 * Sends `message` and returns the answer, or none when the connection was closed before anything was sent. The
 * status is the result, whatever happens to the body. Fails with `connection_failed`, also when the response is not
 * HTTP. It has no deadline. The caller closes the connection unless the answer is complete.
 */
export const post = (
  client: Client,
  message: PostedMessage,
  onHead: (status: number) => void
): Effect.Effect<Option.Option<Answer>, OutboundError> =>
  Effect.flatMap(
    send(client, message),
    Option.match({
      onNone: () => Effect.succeedNone,
      onSome: (head) => {
        onHead(head.status)
        return head.rest.pipe(
          Effect.timeoutOption(maxBodyTime),
          Effect.map((isComplete) =>
            Option.some({ status: head.status, isComplete: Option.getOrElse(isComplete, () => false) })
          )
        )
      }
    })
  )
