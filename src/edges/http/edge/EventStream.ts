/** Server-sent events on Node's response (WHATWG HTML, 9.2). Streams share a frame's bytes, so each costs little. */
import type { ServerResponse } from "node:http"
import { Effect } from "effect"
import type { Headers } from "../Answer.ts"

export interface EventStream {
  /** Writes whole frames. False: wait for `ready` before the next write, or the stream has ended. */
  readonly write: (frames: string | Uint8Array) => boolean
  /** Completes when the stream takes more; never after its end. `SlowReaders` disconnects readers that are too slow. */
  readonly ready: Effect.Effect<void>
}

export interface OpenStream extends EventStream {
  readonly isFull: () => boolean
  /** Writes a comment, which keeps connections open and which clients ignore. Skipped while frames wait. */
  readonly keepAlive: () => void
  /** Sends what was written, then ends. Has no effect the second time. */
  readonly end: () => void
  /** Disconnects at once. */
  readonly drop: () => void
  /** Called when the connection closes, for any reason. */
  readonly onClose: (listener: () => void) => void
}

const comment = ": keep-alive\n\n"

/**
 * Sends the head. The stream ends with the connection, so frames are written without chunked encoding. The platform
 * considers the response finished from then on and keeps nothing for it.
 * @param headers beside those of every stream.
 */
export const open = (response: ServerResponse, headers: Headers): OpenStream => {
  let isFull = false
  let isEnded = false
  Object.defineProperty(response, "writableEnded", { value: true })
  response.useChunkedEncodingByDefault = false
  response.on("drain", () => void (isFull = false))
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    ...headers
  })
  response.flushHeaders()

  const write = (frames: string | Uint8Array): boolean => {
    if (isEnded || socket.destroyed) return false
    if (!response.write(frames)) isFull = true
    return !isFull
  }
  const { socket } = response.req
  const drop = () => void socket.destroy()
  // A write error ends only this stream.
  response.on("error", drop)
  const drained = Effect.callback<void>((resume) => {
    const listener = () => resume(Effect.void)
    response.once("drain", listener)
    return Effect.sync(() => response.off("drain", listener))
  })
  return {
    write,
    ready: Effect.suspend(() => {
      if (isEnded || socket.destroyed) return Effect.never
      return isFull ? drained : Effect.void
    }),
    isFull: () => isFull,
    keepAlive: () => void (isFull || write(comment)),
    end: () => {
      if (isEnded) return
      isEnded = true
      response.end()
    },
    drop,
    // On the socket, because a response that waits for its turn gets no `close` event.
    onClose: (listener) => void socket.once("close", listener)
  }
}
