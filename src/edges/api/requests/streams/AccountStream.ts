/** `GET /requests/stream`: every change of a status of an account's requests (decisions, "Server-sent events"). */
import { Effect, Queue, Schedule, Stream } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { allowsModel } from "#domain/account/Grant.ts"
import { type RequestId, requestIdPattern } from "#domain/Ids.ts"
import { LiveStatus } from "#projections/live-status/LiveStatus.ts"
import { Projections } from "#projections/Projections.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as Following from "#src/features/requests/live/Following.ts"
import { LiveProgress } from "#src/features/requests/live/LiveProgress.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { RequestForbidden, RequestNotFound, Requests } from "#src/features/requests/Requests.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import type { EventStream } from "#src/edges/http/edge/EventStream.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as StreamQuery from "../StreamQuery.ts"
import * as StreamRoute from "./StreamRoute.ts"
import * as StreamView from "./StreamView.ts"
import * as StreamFollower from "./StreamFollower.ts"

const endpoint = HttpApiEndpoint.get("streamRequests", "/requests/stream", {
  query: {
    request_id: ListParameters.texts(
      "Only this request; repeated: only these. The stream ends when all of them have ended.",
      {
        type: "array",
        items: { type: "string", pattern: requestIdPattern.source },
        maxItems: StreamQuery.mostRequests
      }
    ),
    modelEndpoint: ListParameters.text("Only requests for this model."),
    logs: ListParameters.text("`1`: the event that ends a request has its log lines.", { enum: ["0", "1"] }),
    last_event_id: ListParameters.text("As the header `Last-Event-ID`, which wins over it.")
  },
  headers: {
    "last-event-id": ListParameters.text(
      "Resumes after the event with this id. No event is missed or sent twice."
    )
  },
  success: [
    StreamRoute.success(
      "A `status` event for each change of a status, with the status object and its `modelEndpoint` as data. While the stream is open also `progress` events, which have no id, with `request_id`, `modelEndpoint` and `progress` (0 to 1) as data. Without `Last-Event-ID` the stream begins with one event for each request that has not ended, and for each named request.",
      `retry: 2000\n\nid: 1042\nevent: status\ndata: ${JSON.stringify({ ...StreamRoute.exampleBody, modelEndpoint: "sandbox/echo" })}\n\n`
    ),
    HttpApiSchema.NoContent.annotate({
      description:
        "All named requests have ended, and the client has seen their last events: there is nothing to resume."
    })
  ],
  error: StreamRoute.errors
})
  .annotate(ServedOn, ["queue", "platform"])
  .annotate(TakesTokens, "reads")
  .annotate(OpenApi.Summary, "Follow all requests")
  .annotate(
    OpenApi.Description,
    "Server-sent events: every change of a request's status, as it happens. A client that was cut off sends the id of its last event, to any node, and misses nothing. A reader that takes nothing for 30 s is disconnected."
  )

interface Begin {
  readonly after: GlobalPosition.GlobalPosition | null
  /** Of the log, when the call came. */
  readonly head: GlobalPosition.GlobalPosition
}

const projection = "history"

const noRequests: ReadonlySet<RequestId> = new Set()

/** For an event that is not found. */
const looks = { schedule: Schedule.spaced("250 millis"), times: 4 }

/** A browser does not reconnect after a 204 (WHATWG HTML, 9.2.3). */
const nothingLeft = Answer.empty(204, { "cache-control": "no-store" })

export const streamRequests = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const requests = yield* Requests
    const projections = yield* Projections
    const liveStatus = yield* LiveStatus
    const { head } = yield* EventReader
    const streams = yield* EventStreams
    const following = yield* Following.make
    const progress = yield* LiveProgress
    const followerOf = StreamFollower.make((yield* PublicUrls).queueUrl, requests)

    /** The models whose requests the stream follows: those that the key may see, or the requested one alone. */
    const modelsOf = ({ grant }: Caller, requested: StreamQuery.StreamOptions["modelEndpoint"]) => {
      if (requested === null) return Effect.succeed(grant.modelEndpoints)
      return allowsModel(grant, requested)
        ? Effect.succeed([requested])
        : Effect.fail(ErrorAnswer.modelNotGranted)
    }

    /** Fails unless all named requests are the caller's. */
    const checkNamed = Effect.fnUntraced(function* (
      caller: Caller,
      { modelEndpoint, requestIds }: StreamQuery.StreamOptions
    ) {
      if (requestIds === null) return
      const found = yield* liveStatus.ofRequests([...requestIds])
      const known = new Set(found.map(({ requestId }) => requestId))
      for (const { accountId, model } of found) {
        if (accountId !== caller.accountId || !allowsModel(caller.grant, model))
          return yield* new RequestForbidden()
        if (modelEndpoint !== null && model !== modelEndpoint) return yield* new RequestNotFound()
      }
      for (const id of [...requestIds].filter((id) => !known.has(id))) {
        yield* requests.get({ caller, id, ...(modelEndpoint !== null && { endpoint: modelEndpoint }) })
      }
    })

    /** The named requests whose last event the client has seen. */
    const endedBefore = Effect.fnUntraced(function* (
      requestIds: StreamQuery.StreamOptions["requestIds"],
      after: StreamQuery.StreamOptions["after"]
    ) {
      if (requestIds === null || after === null) return noRequests
      const found = yield* liveStatus.ofRequests([...requestIds])
      const ended = found.filter(
        (change) => StreamView.endsRequest(change) && GlobalPosition.isReached(change.position, after)
      )
      return new Set(ended.map(({ requestId }) => requestId))
    })

    /** Looks several times: this node's view of a shared log may lag behind the one that the client saw. */
    const checkPosition = Effect.fnUntraced(function* (after: GlobalPosition.GlobalPosition) {
      const isThere = Effect.map(head, (end) => GlobalPosition.isReached(after, end))
      const found = yield* Effect.repeat(isThere, { ...looks, until: (found) => found })
      if (!found) return yield* ErrorAnswer.unknownEventId
    })

    /** Waits until the read model has reached the position. */
    const reached = (target: GlobalPosition.GlobalPosition) =>
      projections.changes(projection).pipe(
        Stream.filter((position) => GlobalPosition.isReached(target, position)),
        Stream.take(1),
        Stream.runDrain
      )

    /** Runs as long as the stream. Skips reports while the reader is behind. */
    const sendProgress = Effect.fnUntraced(function* (
      stream: EventStream,
      wanted: StreamFollower.Options["wanted"]
    ) {
      const reports = yield* progress.listen(wanted)
      while (true) {
        const report = yield* Queue.take(reports)
        yield* stream.ready
        stream.write(StreamView.progressEvent(report))
      }
    }, Effect.scoped)

    const send = Effect.fnUntraced(function* (
      stream: EventStream,
      options: StreamFollower.Options,
      { after, head }: Begin
    ) {
      stream.write(StreamView.retry)
      yield* reached(after ?? head)
      const follower = followerOf(stream, options, yield* endedBefore(options.wanted.requestIds, after))
      const from = after === null ? yield* following.snapshot(follower) : yield* liveStatus.changeAt(after)
      if (after === null && !follower.isDone()) {
        stream.write(StreamView.place(yield* liveStatus.positionOf(from)))
      }
      yield* Effect.forkChild(sendProgress(stream, options.wanted))
      yield* following.follow(follower, from)
    })

    return Effect.fnUntraced(function* (
      { headers, query, request }: Route.Call<typeof endpoint>,
      caller: Caller
    ) {
      const options = yield* ErrorAnswer.orInvalid(StreamQuery.parse(query, request.headers))
      const { after, requestIds, withLogs } = options
      const models = yield* modelsOf(caller, options.modelEndpoint)
      if (after !== null) yield* checkPosition(after)
      const begin = { after, head: yield* head }
      // The read model then knows most named requests, so that few are read from the log.
      yield* projections.waitFor(begin.head, { projection })
      yield* checkNamed(caller, options)
      const ended = yield* endedBefore(requestIds, after)
      if (requestIds !== null && ended.size === requestIds.size) return nothingLeft
      const wanted = { accountId: caller.accountId, requestIds, models }
      return yield* streams.serve({ caller, headers, request }, (stream) =>
        send(stream, { caller, wanted, withLogs }, begin)
      )
    })
  })
)
