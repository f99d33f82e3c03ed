/** What the routes that answer operators with server-sent events share. */
import { Effect, Schema, Stream } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { Stopping } from "#src/edges/http/Stopping.ts"

const contentType = "text/event-stream"

export const success = (description: string) =>
  Schema.String.pipe(HttpApiSchema.asText({ contentType })).annotate({ description })

/** JSON contains no line breaks, so it is one line of data. */
export const frame = (event: string, data: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

const keepAliveEvery = "15 seconds"

/** A client reconnects, with its key or cookie, so that an operator whose key was revoked or has a lower role gets no more. */
const openFor = "2 minutes"

/** How long browsers wait before that, ms. */
const retry = "retry: 500\n\n"

/** Streams that are open on a node at a time. */
const most = 64

const tooMany = ErrorAnswer.busy(`This node serves ${most} readers of live views already.`, 5)

/** Answers with the frames until they end, two minutes are over, the client leaves or the server stops. */
export const make = Effect.map(Stopping, (stopping) => {
  let open = 0
  const place = Effect.acquireRelease(
    Effect.sync(() => void open++),
    () => Effect.sync(() => void open--)
  )
  return <E>(frames: Stream.Stream<string, E>) => {
    if (open >= most) return Effect.fail(tooMany)
    const alive = Stream.drop(Stream.tick(keepAliveEvery), 1).pipe(Stream.map(() => ": keep-alive\n\n"))
    const served = Stream.make(retry).pipe(
      Stream.concat(Stream.merge(frames, alive, { haltStrategy: "left" })),
      Stream.interruptWhen(Effect.race(Effect.sleep(openFor), stopping))
    )
    return Effect.succeed(
      HttpServerResponse.stream(Stream.encodeText(Stream.unwrap(Effect.as(place, served))), {
        contentType,
        headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
      })
    )
  }
})
