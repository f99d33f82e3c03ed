/**
 * Server-sent events on Node's response (WHATWG HTML, 9.2), without the layers that a body of the platform's goes through:
 * an open stream is little more than its socket, and frames for many streams are the same bytes.
 */
import type { ServerResponse } from "node:http"
import { Effect } from "effect"
import type { Headers } from "../Answer.ts"

export interface EventStream {
  /** Hands over whole frames. False: it takes no more until it is `ready`, and none that comes after its end. */
  readonly write: (frames: string | Uint8Array) => boolean
  /** Waits until it takes more; for ever once it has ended. `SlowReaders` drops a reader that leaves it waiting for too long. */
  readonly ready: Effect.Effect<void>
}

export interface OpenStream extends EventStream {
  readonly isFull: () => boolean
  /** A comment, which no client sees and everything on the way does; not where frames wait already. */
  readonly keepAlive: () => void
  /** What was written still goes out, if the reader takes it. Nothing is written behind it; a second end is none. */
  readonly end: () => void
  /** At once. */
  readonly drop: () => void
  /** Called when the connection is gone, whoever has ended it. */
  readonly onClose: (listener: () => void) => void
}

const comment = ": keep-alive\n\n"

/**
 * Sends the head. The end of the connection is the end of the stream: a frame goes to the socket as it is, not in chunks.
 * From then on the platform takes the response for a finished one: it neither writes to it nor keeps anything for it.
 *
 * @param headers beside those that every stream has.
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
  // Whatever Node has against a write is the end of this stream alone.
  response.on("error", drop)
  const drained = Effect.callback<void>((resume) => {
    const listener = () => resume(Effect.void)
    response.once("drain", listener)
    return Effect.sync(() => response.off("drain", listener))
  })
  return {
    write,
    ready: Effect.suspend(() => {
      if (isEnded) return Effect.never
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
    // Of the socket: a response that waits for its turn on it hears of nothing.
    onClose: (listener) => void socket.once("close", listener)
  }
}
