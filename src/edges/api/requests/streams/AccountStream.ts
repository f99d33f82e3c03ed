/** `GET /requests/stream`: every change of a status of an account's requests (decisions, "Server-sent events"). */
import { Effect, Queue, Schedule, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { allowsModel } from "#domain/account/Grant.ts"
import type { RequestId } from "#domain/Ids.ts"
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
import type { EventStream } from "#src/edges/http/edge/EventStream.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as StreamQuery from "../StreamQuery.ts"
import * as StreamView from "./StreamView.ts"
import * as Telling from "./Telling.ts"

export interface AccountStreamCall {
  readonly caller: Caller
  readonly query: StreamQuery.StreamQuery
  readonly request: HttpServerRequest
  /** What every answer to the call carries. */
  readonly headers: Answer.Headers
}

interface Begin {
  readonly after: GlobalPosition.GlobalPosition | null
  /** Of the log, when the client came. */
  readonly head: GlobalPosition.GlobalPosition
}

const projection = "history"

const noRequests: ReadonlySet<RequestId> = new Set()

/** For an event that the log does not have, as it seems. */
const looks = { schedule: Schedule.spaced("250 millis"), times: 4 }

/** There is nothing left to tell: a browser that gets it does not come back (WHATWG HTML, 9.2.3). */
const nothingLeft = Answer.empty(204, { "cache-control": "no-store" })

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const projections = yield* Projections
  const liveStatus = yield* LiveStatus
  const { head } = yield* EventReader
  const streams = yield* EventStreams
  const following = yield* Following.make
  const progress = yield* LiveProgress
  const followerOf = Telling.make((yield* PublicUrls).queueUrl, requests)

  /** The models whose requests are told of: those that the key may see, and only the one that was asked for. */
  const modelsOf = ({ grant }: Caller, asked: StreamQuery.StreamOptions["modelEndpoint"]) => {
    if (asked === null) return Effect.succeed(grant.modelEndpoints)
    return allowsModel(grant, asked) ? Effect.succeed([asked]) : Effect.fail(Refusal.modelNotGranted)
  }

  /** Named requests have to be the caller's. */
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

  /** Named requests that ended with an event that the client has seen. */
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

  /** What a client has seen is on the log, though whoever answers for a shared one may not know it for a moment. */
  const checkPosition = Effect.fnUntraced(function* (after: GlobalPosition.GlobalPosition) {
    const isThere = Effect.map(head, (end) => GlobalPosition.isReached(after, end))
    const found = yield* Effect.repeat(isThere, { ...looks, until: (found) => found })
    if (!found) return yield* Refusal.unknownEventId
  })

  /** Where the history lags behind what the client has seen, or behind what there was when it came, that is waited for. */
  const reached = (place: GlobalPosition.GlobalPosition) =>
    projections.changes(projection).pipe(
      Stream.filter((position) => GlobalPosition.isReached(place, position)),
      Stream.take(1),
      Stream.runDrain
    )

  /** For as long as the stream tells of anything; what a reader has no room for is left out. */
  const tellProgress = Effect.fnUntraced(function* (stream: EventStream, wanted: Telling.Telling["wanted"]) {
    const reports = yield* progress.listen(wanted)
    while (true) {
      const report = yield* Queue.take(reports)
      yield* stream.ready
      stream.write(StreamView.progressEvent(report))
    }
  }, Effect.scoped)

  const tell = Effect.fnUntraced(function* (
    stream: EventStream,
    telling: Telling.Telling,
    { after, head }: Begin
  ) {
    stream.write(StreamView.retry)
    yield* reached(after ?? head)
    const follower = followerOf(stream, telling, yield* endedBefore(telling.wanted.requestIds, after))
    const from = after === null ? yield* following.snapshot(follower) : yield* liveStatus.changeAt(after)
    if (after === null && !follower.isDone()) {
      stream.write(StreamView.place(yield* liveStatus.positionOf(from)))
    }
    yield* Effect.forkChild(tellProgress(stream, telling.wanted))
    yield* following.follow(follower, from)
  })

  return Effect.fnUntraced(function* ({ caller, headers, query, request }: AccountStreamCall) {
    const asked = yield* Effect.fromResult(StreamQuery.parse(query, request.headers)).pipe(
      Effect.mapError((issues) => Refusal.invalid(issues))
    )
    const { after, requestIds, withLogs } = asked
    const models = yield* modelsOf(caller, asked.modelEndpoint)
    if (after !== null) yield* checkPosition(after)
    const begin = { after, head: yield* head }
    // What is named is known by then, on most nodes.
    yield* projections.waitFor(begin.head, { projection })
    yield* checkNamed(caller, asked)
    const ended = yield* endedBefore(requestIds, after)
    if (requestIds !== null && ended.size === requestIds.size) return nothingLeft
    const wanted = { accountId: caller.accountId, requestIds, models }
    return yield* streams.serve({ caller, headers, request }, (stream) =>
      tell(stream, { caller, wanted, withLogs }, begin)
    )
  })
})
