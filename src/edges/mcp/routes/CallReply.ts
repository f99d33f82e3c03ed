/** Connects a running call with its client: whichever is first decides the form of the answer. */
import { Deferred, Effect } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Incoming } from "../IncomingMessage.ts"
import * as JsonRpc from "../JsonRpc.ts"
import type { Tell } from "../McpEndpoint.ts"
import type { OpenStream } from "#src/edges/http/edge/EventStream.ts"
import * as CallAnswer from "./CallAnswer.ts"

/** Until then a call may be answered whole. */
const slowAfter = "2 seconds"

const untold = HttpServerResponse.empty({ status: 500 })

export const make = ({ id, requests }: Incoming) => {
  const first = Deferred.makeUnsafe<HttpServerResponse.HttpServerResponse | null>()
  const opened = Deferred.makeUnsafe<OpenStream | null>()
  let reason: JsonRpc.ErrorObject | null = null

  const failure = (usual: JsonRpc.ErrorObject) => JSON.stringify(JsonRpc.error(id, reason ?? usual))

  const write = (response: HttpServerResponse.HttpServerResponse) =>
    Effect.flatMap(Deferred.await(opened), (stream) =>
      stream === null ? Effect.void : CallAnswer.write(stream, response, failure)
    )

  const slow = Effect.andThen(Deferred.succeed(first, null), Deferred.await(first))

  const tell: Tell = (response) => {
    const isWhole = response.body._tag !== "Stream"
    return Effect.flatMap(Deferred.succeed(first, isWhole ? response : null), (isFirst) =>
      isWhole && isFirst ? Effect.void : write(response)
    )
  }

  return {
    tell,
    /** The whole answer; `null` when it needs a stream, because the call is slow or sends several messages. */
    first:
      requests > 0
        ? Effect.timeoutOrElse(Deferred.await(first), { duration: slowAfter, orElse: () => slow })
        : Deferred.await(first),
    /** Sets the stream to write to; `null` when the client has left. */
    writeTo: (stream: OpenStream | null) => Deferred.doneUnsafe(opened, Effect.succeed(stream)),
    /** Sets the reason of an interruption, for the client. */
    blame: (blamed: JsonRpc.ErrorObject) => void (reason = blamed),
    reason: () => reason,
    /** Ends when the call has ended. Nothing is sent after that. */
    over: Effect.asVoid(Deferred.succeed(first, untold)),
    /** The reason to send when a stream ends without an answer. */
    failure: () => failure(JsonRpc.internalError)
  }
}
