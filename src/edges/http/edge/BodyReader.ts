/** The raw body of a request to the declared API, bounded in size and time. */
import { Context, type Duration, Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Bytes from "#src/kernel/text/Bytes.ts"
import * as ErrorAnswer from "../ErrorAnswer.ts"
import { maxBytes } from "../requests/JsonBody.ts"

/** For the whole body, so that a client that sends slowly cannot hold a connection longer. */
export const BodyTimeout = Context.Reference<Duration.Input>("inferlog/src/edges/http/edge/BodyTimeout", {
  defaultValue: () => "30 seconds"
})

export const unreadable = ErrorAnswer.malformed("The request body could not be read.")

/** Called with the number of bytes so far. Returns a refusal, or `null` to go on. */
export type Grow = (bytes: number) => ErrorAnswer.ErrorAnswer | null

/** Reads the body as a stream, so that the connection can take an answer when reading stops early. `limit` in bytes. */
export const read = (
  request: HttpServerRequest,
  limit = maxBytes,
  grow: Grow = () => null
): Effect.Effect<Uint8Array, ErrorAnswer.ErrorAnswer> =>
  Effect.flatMap(BodyTimeout, (duration) =>
    request.stream.pipe(
      Stream.mapError(() => unreadable),
      Stream.runFoldEffect(
        () => Bytes.make(),
        (body, chunk) => {
          body.add(chunk)
          const errorAnswer = body.size() > limit ? ErrorAnswer.bodyTooLarge(limit) : grow(body.size())
          return errorAnswer === null ? Effect.succeed(body) : Effect.fail(errorAnswer)
        }
      ),
      Effect.map((body) => body.whole()),
      Effect.timeoutOrElse({ duration, orElse: () => Effect.fail(ErrorAnswer.bodyTimeout) })
    )
  )
