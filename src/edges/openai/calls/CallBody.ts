/** The JSON body of a call, with the memory that it takes until the request is submitted. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { InputMemory } from "#src/kernel/memory/InputMemory.ts"
import { BodyMemory } from "#src/edges/http/edge/BodyMemory.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as BodyHeaders from "#src/edges/http/requests/BodyHeaders.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"

export interface CallBody {
  readonly body: JsonObject
  /** As sent, for the identity of a repeated call. */
  readonly bytes: Uint8Array
  /** Equal for bodies of equal content. */
  readonly content: () => string
  /** About how much memory the values take, bytes. */
  readonly weight: number
}

export const make = Effect.map(
  InputMemory,
  ({ submits }) =>
    /** Runs `use` with the body. Its memory is released afterwards, so `use` should not wait for the answer. */
    <A, E>(request: HttpServerRequest, caller: Caller, use: (read: CallBody) => Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        const memory = new BodyMemory(submits, caller.accountId)
        const announced = Number(request.headers["content-length"] ?? 0)
        return Effect.fromResult(BodyHeaders.check(request.headers)).pipe(
          Effect.andThen(memory.cover(announced, 0)),
          Effect.andThen(BodyReader.read(request, JsonBody.maxBytes, (bytes) => memory.grow(bytes))),
          Effect.flatMap((bytes) =>
            Effect.flatMap(Effect.fromResult(JsonBody.look(bytes)), (scan) =>
              Effect.andThen(
                memory.cover(bytes.length, scan.weight),
                Effect.flatMap(Effect.fromResult(JsonBody.parseLooked(bytes, scan)), (body) =>
                  use({ body, bytes, content: () => JsonText.content(body), weight: scan.weight })
                )
              )
            )
          ),
          Effect.ensuring(Effect.sync(() => memory.release()))
        )
      })
)
