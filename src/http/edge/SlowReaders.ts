/** Clients that ask for much and read little of it: each holds a file or a socket of the store, and buffers. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as FileRefusals from "../FileRefusals.ts"
import type * as Refusal from "../Refusal.ts"

export interface SlowReadersOptions {
  /** ms in which a client reads something of what was sent. */
  readonly longestPause: number
  /** Answers with bytes under way at once. */
  readonly most: number
  /** What the others are told. */
  readonly full: Refusal.Refusal
}

/** Beside so many the store has sockets left, and their buffers are some hundred MiB. */
const limits: SlowReadersOptions = { longestPause: 60_000, most: 512, full: FileRefusals.tooManyReaders }

export interface SlowReaders {
  /** Fails where there are too many. */
  readonly admit: (request: HttpServerRequest) => Effect.Effect<void, Refusal.Refusal>
  /** Counts as long as the stream is run. */
  readonly counted: <A, E, R>(body: Stream.Stream<A, E, R>) => Stream.Stream<A, E, R>
}

export const make = ({ full, longestPause, most }: SlowReadersOptions = limits): SlowReaders => {
  let underWay = 0
  return {
    admit: (request) =>
      Effect.suspend(() => {
        if (underWay >= most) return Effect.fail(full)
        // Node ends connections on which nothing has moved for so long, and sets its own limit when the answer is done.
        NodeHttpServerRequest.toServerResponse(request).setTimeout(longestPause)
        return Effect.void
      }),
    counted: (body) =>
      Stream.suspend(() => {
        underWay++
        return Stream.ensuring(
          body,
          Effect.sync(() => void underWay--)
        )
      })
  }
}
