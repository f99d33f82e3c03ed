/** One call between whoever works on it and whoever waits for it: what comes first decides the form of the answer. */
import { Deferred, Effect } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Incoming } from "../IncomingMessage.ts"
import * as JsonRpc from "../JsonRpc.ts"
import type { Tell } from "../McpEndpoint.ts"
import type { OpenStream } from "#src/edges/http/edge/EventStream.ts"
import * as CallAnswer from "./CallAnswer.ts"

/** Until then a call may be answered whole. */
const slowAfter = "2 seconds"

export interface CallReply {
  readonly tell: Tell
  /** The whole answer; `null`: it comes by a stream, as it takes its time or is more than one message. */
  readonly first: Effect.Effect<HttpServerResponse.HttpServerResponse | null>
  /** Where to write; `null`: nobody is there any more. */
  readonly writeTo: (stream: OpenStream | null) => void
  /** Why the call is about to be interrupted, for its client. */
  readonly blame: (reason: JsonRpc.ErrorText) => void
  readonly reason: () => JsonRpc.ErrorText | null
  /** Whoever works on it is through: what has not been told by then never is. */
  readonly over: Effect.Effect<void>
  /** What is told by a stream instead. */
  readonly failure: () => string
}

const untold = HttpServerResponse.empty({ status: 500 })

export const make = ({ id, requests }: Incoming): CallReply => {
  const first = Deferred.makeUnsafe<HttpServerResponse.HttpServerResponse | null>()
  const opened = Deferred.makeUnsafe<OpenStream | null>()
  let reason: JsonRpc.ErrorText | null = null

  const failure = (usual: JsonRpc.ErrorText) => JSON.stringify(JsonRpc.error(id, reason ?? usual))

  const write = (response: HttpServerResponse.HttpServerResponse) =>
    Effect.flatMap(Deferred.await(opened), (stream) =>
      stream === null ? Effect.void : CallAnswer.write(stream, response, failure)
    )

  const slow = Effect.andThen(Deferred.succeed(first, null), Deferred.await(first))

  return {
    tell: (response) => {
      const isWhole = response.body._tag !== "Stream"
      return Effect.flatMap(Deferred.succeed(first, isWhole ? response : null), (isFirst) =>
        isWhole && isFirst ? Effect.void : write(response)
      )
    },
    first:
      requests > 0
        ? Effect.timeoutOrElse(Deferred.await(first), { duration: slowAfter, orElse: () => slow })
        : Deferred.await(first),
    writeTo: (stream) => Deferred.doneUnsafe(opened, Effect.succeed(stream)),
    blame: (blamed) => void (reason = blamed),
    reason: () => reason,
    over: Effect.asVoid(Deferred.succeed(first, untold)),
    failure: () => failure(JsonRpc.internalError)
  }
}
