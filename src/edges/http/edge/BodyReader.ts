/** The raw body of a request to the declared API, bounded in size and time. */
import { Context, type Duration, Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Bytes from "#src/kernel/text/Bytes.ts"
import * as Refusal from "../Refusal.ts"
import { maxBytes } from "../requests/JsonBody.ts"

/** For the whole body: a client that drips its bytes holds a connection no longer than this. */
export const BodyTimeout = Context.Reference<Duration.Input>("inferlog/src/edges/http/edge/BodyTimeout", {
  defaultValue: () => "30 seconds"
})

export const unreadable = Refusal.malformed("The request body could not be read.")

/** Told how many bytes have come: why there may be no more, or `null`. */
export type Grow = (bytes: number) => Refusal.Refusal | null

/** Read as a stream, for giving up on that leaves the connection open for the answer. `limit` in bytes. */
export const read = (
  request: HttpServerRequest,
  limit = maxBytes,
  grow: Grow = () => null
): Effect.Effect<Uint8Array, Refusal.Refusal> =>
  Effect.flatMap(BodyTimeout, (duration) =>
    request.stream.pipe(
      Stream.mapError(() => unreadable),
      Stream.runFoldEffect(
        () => Bytes.make(),
        (body, chunk) => {
          body.add(chunk)
          const refusal = body.size() > limit ? Refusal.bodyTooLarge(limit) : grow(body.size())
          return refusal === null ? Effect.succeed(body) : Effect.fail(refusal)
        }
      ),
      Effect.map((body) => body.whole()),
      Effect.timeoutOrElse({ duration, orElse: () => Effect.fail(Refusal.bodyTimeout) })
    )
  )
