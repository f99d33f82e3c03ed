/** A call whose answer is one JSON object and never a stream: the input is the body, and the answer is the output. */
import { Effect, Result } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { OpenaiCall } from "#domain/catalog/Model.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import type * as Route from "#src/edges/http/api/Route.ts"
import type { ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"
import type { ServiceError } from "#src/edges/http/ServiceErrors.ts"
import * as CallBody from "../calls/CallBody.ts"
import * as Calls from "../calls/Calls.ts"
import * as ServedModels from "../ServedModels.ts"

export interface Ended {
  readonly snapshot: Snapshot
  /** As submitted. */
  readonly input: JsonObject
  /** As sent. */
  readonly body: JsonObject
  readonly output: Json
}

/** The output in an object; other outputs are its `data`. */
export const objectOf = (output: Json): JsonObject => (isObject(output) ? output : { data: output })

/**
 * @param inputOf the model's input in a body without `model` and `stream`; a body that the edge cannot answer fails.
 */
export const make = Effect.fnUntraced(function* (
  call: OpenaiCall,
  path: string,
  inputOf: (body: JsonObject) => Result.Result<JsonObject, ErrorAnswer> = Result.succeed
) {
  const served = yield* ServedModels.make
  const calls = yield* Calls.make
  const read = yield* CallBody.make

  return Effect.fnUntraced(function* <A>(
    { request }: Pick<Route.Call<never>, "request">,
    caller: Caller,
    use: (ended: Ended) => Effect.Effect<A, ServiceError>
  ) {
    const { asked, body } = yield* read(request, caller, ({ body, bytes, content, weight }) =>
      Effect.gen(function* () {
        const { endpoint } = (yield* served(caller, body["model"], call)).model
        const rest = JsonText.edit(body, { omit: ["model", "stream"] })
        const input = yield* Effect.fromResult(inputOf(rest))
        return { body, asked: { request, caller, path, endpoint, input, bytes, content, weight } }
      })
    )
    return yield* calls.begin(asked, (begun) =>
      Effect.flatMap(calls.ended(begun), (snapshot) =>
        Effect.flatMap(calls.outputOf(snapshot), (output) =>
          use({ snapshot, input: asked.input, body, output })
        )
      )
    )
  })
})
