/** `POST /v1/embeddings`. */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import * as JsonText from "#domain/JsonText.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, Requires, TakesQuery, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as CallHeaders from "../calls/CallHeaders.ts"
import * as OpenaiRoute from "../OpenaiRoute.ts"
import * as ObjectCall from "./ObjectCall.ts"

const endpoint = HttpApiEndpoint.post("createEmbedding", "/v1/embeddings", {
  ...OpenaiRoute.ofCalls,
  error: OpenaiRoute.errors
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "submit")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "Embed texts")
  .annotate(OpenApi.Description, "OpenAI's embeddings, of a model that serves `embeddings`.")

export const createEmbedding = Route.make(
  endpoint,
  ObjectCall.make("embeddings", "v1/embeddings"),
  function* (ask, call, caller) {
    return yield* ask(call, caller, ({ output, snapshot }) =>
      Effect.succeed(
        Answer.values(
          200,
          JsonText.edit(ObjectCall.objectOf(output), { set: { model: snapshot.request.submitted.model } }),
          CallHeaders.of(snapshot)
        )
      )
    )
  }
)
