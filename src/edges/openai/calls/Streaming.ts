/**
 * The answer to a call with `stream: true`. The protocol has no ids to resume from and no restart, so a run that is lost after
 * the client has seen a part of its output ends the stream with an error, and the request is cancelled.
 */
import { Deferred, Effect } from "effect"
import type { JsonObject, Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { LiveOutput, type OutputReader } from "#src/features/live-output/LiveOutput.ts"
import type * as Answer from "#src/edges/http/Answer.ts"
import type { EventStream } from "#src/edges/http/edge/EventStream.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import { toErrorAnswer } from "#src/edges/http/ServiceErrors.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"
import type { Begun, Calls } from "./Calls.ts"
import * as CallHeaders from "./CallHeaders.ts"
import { parse } from "./ChunkText.ts"

/** A protocol of frames over the output of one request. */
export interface Frames {
  /** The frames of a chunk of the run; empty without one. */
  readonly take: (given: Json) => string
  /** Whether the client has seen a part of the output. */
  readonly hasContent: () => boolean
  /** The run begins again, and the client has seen no part of the output. */
  readonly restart: () => void
  readonly end: (output: Json) => string
  readonly failed: (error: { readonly body?: unknown }) => string
}

const lost = OpenaiErrors.server(
  500,
  "The run was lost, and its output began again. This protocol cannot replace what was sent: repeat the call.",
  "run_lost"
)

export const dataOf = (objects: ReadonlyArray<JsonObject>): string =>
  objects.map((one) => `data: ${JsonText.writeLine(one)}\n\n`).join("")

export const done = "data: [DONE]\n\n"

export const make = Effect.fnUntraced(function* (calls: Calls) {
  const streams = yield* EventStreams
  const live = yield* LiveOutput

  const readerOf = (
    { ready, write }: EventStream,
    frames: Frames,
    isLost: Deferred.Deferred<void>
  ): OutputReader => ({
    chunk: ({ text }) => {
      if (Deferred.isDoneUnsafe(isLost)) return true
      const taken = frames.take(parse(text))
      return taken === "" || write(taken)
    },
    restart: () => {
      if (frames.hasContent()) Deferred.doneUnsafe(isLost, Effect.void)
      else frames.restart()
    },
    progress: () => {},
    ready
  })

  const body = (begun: Begun, frames: Frames, stream: EventStream) =>
    Effect.gen(function* () {
      const isLost = yield* Deferred.make<void>()
      const { snapshot } = begun
      const reader = readerOf(stream, frames, isLost)
      const followed = Effect.flatMap(live.follow({ snapshot, after: null, reader }), (ended) =>
        Effect.map(calls.outputOf(ended), frames.end)
      )
      const broken = Effect.andThen(Deferred.await(isLost), Effect.andThen(calls.cancel(begun), lost))
      const last = yield* Effect.raceFirst(followed, broken).pipe(
        Effect.catch((error) => Effect.succeed(frames.failed(OpenaiErrors.of(toErrorAnswer(error)))))
      )
      stream.write(last)
    }).pipe(Effect.onInterrupt(() => calls.cancel(begun)))

  /** Waits a little for the start of the run, so that a request that fails at once has its status. */
  return (
    begun: Begun,
    opening: { readonly headers: Answer.Headers; readonly request: StreamRequest },
    frames: Frames
  ) =>
    Effect.flatMap(
      calls.started(begun),
      (started) =>
        streams.serve(
          {
            caller: begun.caller,
            request: opening.request,
            headers: { ...opening.headers, ...CallHeaders.of(begun.snapshot) },
            lastWords: () => frames.failed(OpenaiErrors.stopping)
          },
          (stream) => body(started, frames, stream)
        )
      // A client for whom there is no stream submits again, so that this request would run for no one.
    ).pipe(Effect.tapError(() => calls.cancel(begun)))
})

type StreamRequest = Parameters<EventStreams["Service"]["serve"]>[0]["request"]
