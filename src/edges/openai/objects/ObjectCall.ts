/** A call whose answer is one JSON object and never a stream: the input is the body, and the answer is the output. */
import { Effect } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { OpenaiCall } from "#domain/catalog/Model.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import type * as Route from "#src/edges/http/api/Route.ts"
import type { ServiceError } from "#src/edges/http/ServiceErrors.ts"
import * as CallBody from "../calls/CallBody.ts"
import * as Calls from "../calls/Calls.ts"
import * as ServedModels from "../ServedModels.ts"

export interface Ended {
  readonly snapshot: Snapshot
  /** As submitted. */
  readonly input: JsonObject
  readonly output: Json
}

/** The output in an object; other outputs are its `data`. */
export const objectOf = (output: Json): JsonObject => (isObject(output) ? output : { data: output })

export const make = Effect.fnUntraced(function* (call: OpenaiCall, path: string) {
  const served = yield* ServedModels.make
  const calls = yield* Calls.make
  const read = yield* CallBody.make

  return Effect.fnUntraced(function* <A>(
    { request }: Pick<Route.Call<never>, "request">,
    caller: Caller,
    use: (ended: Ended) => Effect.Effect<A, ServiceError>
  ) {
    const asked = yield* read(request, caller, ({ body, bytes, content, weight }) => {
      const { model } = body
      const input = JsonText.edit(body, { omit: ["model", "stream"] })
      return Effect.map(served(caller, model, call), (found) => ({
        request,
        caller,
        path,
        endpoint: found.model.endpoint,
        input,
        bytes,
        content,
        weight
      }))
    })
    return yield* calls.begin(asked, (begun) =>
      Effect.flatMap(calls.ended(begun), (snapshot) =>
        Effect.flatMap(calls.outputOf(snapshot), (output) => use({ snapshot, input: asked.input, output }))
      )
    )
  })
})
