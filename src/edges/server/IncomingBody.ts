/** Reads the body of a request on the fast path, with the limits of the declared API (`edge/BodyReader`). */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import * as Bytes from "#src/kernel/text/Bytes.ts"
import { BodyTimeout, type Grow, unreadable } from "#src/edges/http/edge/BodyReader.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { tooLarge } from "#src/edges/http/requests/BodyHeaders.ts"
import { maxBytes } from "#src/edges/http/requests/JsonBody.ts"

type Read = Effect.Effect<Uint8Array, ErrorAnswer.ErrorAnswer>

/** Calls back once, never synchronously, with the body or a refusal. */
const collect = (request: IncomingMessage, grow: Grow, onEnd: (read: Read) => void): void => {
  const body = Bytes.make()
  let isOver = false
  const end = (read: Read) => {
    if (isOver) return
    isOver = true
    onEnd(read)
  }
  request
    .on("data", (chunk: Uint8Array) => {
      if (isOver) return
      body.add(chunk)
      const errorAnswer = body.size() > maxBytes ? tooLarge : grow(body.size())
      if (errorAnswer === null) return
      request.pause()
      end(Effect.fail(errorAnswer))
    })
    .on("end", () => end(Effect.succeed(body.whole())))
    .on("error", () => end(Effect.fail(unreadable)))
    .on("close", () => end(Effect.fail(unreadable)))
  // A request that has closed already emits no further events.
  if (request.closed) process.nextTick(end, Effect.fail(unreadable))
}

const inTime = (body: Read): Read =>
  Effect.flatMap(BodyTimeout, (duration) =>
    Effect.timeoutOrElse(body, { duration, orElse: () => Effect.fail(ErrorAnswer.bodyTimeout) })
  )

/** The largest body that is read in one piece, bytes. */
const mostWhole = 64 * 1024

/** The body, if it is a small one of which all has arrived; else `null`. */
const whole = (request: IncomingMessage): Uint8Array | null => {
  const { headers } = request
  const isSmall = headers["transfer-encoding"] === undefined && Number(headers["content-length"]) <= mostWhole
  return isSmall && request.complete ? (request.read() as Uint8Array | null) : null
}

/** Most bodies arrive with their headers: they are an `Exit`. The timer starts only for the others. */
export const read = (request: IncomingMessage, grow: Grow): Read => {
  const body = whole(request)
  return body === null ? readLater(request, grow) : Effect.succeed(body)
}

const readLater = (request: IncomingMessage, grow: Grow): Read =>
  Effect.callback((resume) => {
    let settle = (body: Read) => {
      clearImmediate(timerStart)
      resume(body)
    }
    const timerStart = setImmediate(() =>
      resume(inTime(Effect.callback((resumeLate) => void (settle = resumeLate))))
    )
    collect(request, grow, (body) => settle(body))
  })
