/** `GET /{owner}/{model}/requests/{id}/output/stream`: the output of one request as it is made (decisions, "Live output"). */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { LiveOutput } from "#src/features/live-output/LiveOutput.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import * as RequestRoute from "../RequestRoute.ts"
import * as OutputEvents from "./OutputEvents.ts"
import * as StreamRoute from "./StreamRoute.ts"

const endpoint = HttpApiEndpoint.get(
  "streamRequestOutput",
  "/:ownerName/:modelName/requests/:requestId/output/stream",
  {
    params: RequestRoute.paramsOfModel,
    query: { last_event_id: ListParameters.text("As the header `Last-Event-ID`, which wins over it.") },
    headers: { "last-event-id": ListParameters.text("Resumes after the chunk with this id.") },
    success: StreamRoute.success(
      "`chunk` events with an `id` and a part of the output as data; `restart`, when a run was lost and the output begins again: earlier chunks do not count; `progress` (0 to 1); and at the end `done` with `status`, `outcome`, `cost` and `error`.",
      OutputEvents.example
    ),
    error: StreamRoute.errors
  }
)
  .annotate(ServedOn, ["queue"])
  .annotate(TakesTokens, "request")
  .annotate(OpenApi.Summary, "Follow the output")
  .annotate(
    OpenApi.Description,
    "Server-sent events: the output of a request as it is made. The manifest's `output.stream` says how the chunks add up to the output. Of a model without it the whole output is one chunk. A client that was cut off sends the id of its last chunk, to any node."
  )

export const streamOutput = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const requests = yield* Requests
    const streams = yield* EventStreams
    const live = yield* LiveOutput
    const { mediaUrl } = yield* PublicUrls

    return Effect.fnUntraced(function* (
      { headers, params, query, request }: Route.Call<typeof endpoint>,
      caller: Caller
    ) {
      const snapshot = yield* RequestRoute.find(requests, { caller, params })
      const after = request.headers["last-event-id"] ?? query.last_event_id ?? null
      return yield* streams.serve({ caller, headers, request }, (stream) =>
        Effect.map(live.follow({ snapshot, after, reader: OutputEvents.reader(stream) }), (ended) => {
          stream.write(OutputEvents.done({ mediaUrl }, ended))
        })
      )
    })
  })
)
