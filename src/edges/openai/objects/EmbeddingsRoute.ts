/** `POST /v1/embeddings`. */
import { Effect, Result } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, Requires, TakesQuery, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as OpenaiRoute from "../OpenaiRoute.ts"
import * as EmbeddingForm from "./EmbeddingForm.ts"
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

/** The form of the vectors is made here, so that it is no part of the model's input. */
const inputOf = (body: JsonObject) =>
  Result.map(EmbeddingForm.of(body["encoding_format"]), () =>
    JsonText.edit(body, { omit: ["encoding_format"] })
  )

export const createEmbedding = Route.make(
  endpoint,
  ObjectCall.make("embeddings", "v1/embeddings", inputOf),
  function* (ask, call, caller) {
    return yield* ask(call, caller, ({ body, output, snapshot }) =>
      Effect.map(Effect.fromResult(EmbeddingForm.of(body["encoding_format"])), (form) =>
        Answer.values(
          200,
          JsonText.edit(EmbeddingForm.answered(form, ObjectCall.objectOf(output)), {
            set: { model: snapshot.request.submitted.model }
          })
        )
      )
    )
  }
)
