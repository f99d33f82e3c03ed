/**
 * `POST /{owner}/{model}` with `Accept: text/event-stream`: submits, and streams the output in the same answer (decisions, "Live
 * output"). A client that goes away loses nothing, unless it asked with `Cancel-On-Disconnect` to cancel then.
 */
import type { Socket } from "node:net"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Result } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { LiveOutput } from "#src/features/live-output/LiveOutput.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import * as StatusView from "#src/features/requests/views/StatusView.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { IsStopping } from "#src/edges/http/Stopping.ts"
import type * as Route from "#src/edges/http/api/Route.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import { endpointOf } from "#src/edges/http/requests/EndpointParams.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"
import { RequestHandlers } from "./RequestHandlers.ts"
import type * as Accepting from "./Accepting.ts"
import * as OutputEvents from "./streams/OutputEvents.ts"
import type * as SubmitEndpoint from "./SubmitEndpoint.ts"

/** Whether the client names the type. A wildcard does not count, because most clients send one. */
export const isWanted = ({ accept }: RequestHeaders): boolean =>
  accept !== undefined && /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/i.test(accept)

const parseCancel = (header: string | undefined): Parsed<boolean> =>
  header === undefined || header === "true" || header === "false"
    ? Result.succeed(header === "true")
    : invalid(issue(["Cancel-On-Disconnect"], "enum", "Cancel-On-Disconnect must be true or false"))

export const make = Effect.gen(function* () {
  const { accept } = yield* RequestHandlers
  const requests = yield* Requests
  const streams = yield* EventStreams
  const live = yield* LiveOutput
  const urls = yield* PublicUrls
  const isStopping = yield* IsStopping

  /**
   * Only the client's disconnect cancels. A stream that this server ends can be resumed: because it stops, or because the key
   * or token is not valid any more.
   */
  const cancelIfGone = (socket: Socket, caller: Caller, { id, request }: Snapshot) =>
    Effect.suspend(() =>
      isStopping() || !socket.destroyed
        ? Effect.void
        : Effect.ignore(requests.cancel({ caller, id, endpoint: request.submitted.model }))
    )

  return Effect.fnUntraced(function* (
    { headers, params, query, request }: Route.Call<typeof SubmitEndpoint.endpoint>,
    caller: Caller
  ) {
    const cancels = yield* ErrorAnswer.orInvalid(parseCancel(request.headers["cancel-on-disconnect"]))
    const endpoint = endpointOf(params)
    const { socket } = NodeHttpServerRequest.toIncomingMessage(request)

    const answer = (
      accepted: Accepting.Submitted["accepted"],
      restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
    ) => {
      const created = StatusView.created(urls.queueUrl, accepted)
      const replayed = accepted.replayed ? { "idempotency-replayed": "true" } : Answer.noHeaders
      const leaving = <A, E>(effect: Effect.Effect<A, E>) =>
        cancels ? Effect.onInterrupt(effect, () => cancelIfGone(socket, caller, accepted)) : effect
      const opened = streams.serve({ caller, request, headers: { ...headers, ...replayed } }, (stream) => {
        stream.write(OutputEvents.created(created))
        const followed = live.follow({ snapshot: accepted, after: null, reader: OutputEvents.reader(stream) })
        return leaving(Effect.map(followed, (ended) => void stream.write(OutputEvents.done(urls, ended))))
      })
      // The request is accepted, so a client for whom there is no stream learns its id.
      return leaving(restore(opened)).pipe(
        Effect.catchTag("ErrorAnswer", () => Effect.succeed(Answer.json(200, created, replayed)))
      )
    }

    // Only reading the body can be interrupted: of a client that leaves later, the request is known here.
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        accept(
          {
            caller,
            endpoint,
            headers: request.headers,
            wait: query.wait,
            readBody: (grow) =>
              Effect.map(restore(BodyReader.read(request, JsonBody.maxBytes, grow)), (body) => ({
                endpoint,
                body
              }))
          },
          Effect.succeed
        ),
        ({ accepted }) => answer(accepted, restore)
      )
    )
  })
})
