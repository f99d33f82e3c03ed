/** `POST /v1/images/generations`. */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { isList, isObject, type Json } from "#domain/CanonicalJson.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, Requires, TakesQuery, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as OpenaiRoute from "../OpenaiRoute.ts"
import * as ObjectCall from "./ObjectCall.ts"
import * as StoredBytes from "./StoredBytes.ts"

const endpoint = HttpApiEndpoint.post("createImage", "/v1/images/generations", {
  ...OpenaiRoute.ofCalls,
  error: OpenaiRoute.errors
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "submit")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "Draw pictures")
  .annotate(
    OpenApi.Description,
    "OpenAI's image generation, of a model that serves `images`. Pictures have both `url` and `b64_json`; with `response_format: url` only `url`."
  )

/** Bytes of all pictures in one answer. Those beyond have their `url` alone. */
const mostBytes = 24 * 1024 * 1024

export const createImage = Route.make(
  endpoint,
  Effect.all({ ask: ObjectCall.make("images", "v1/images/generations"), bytesAt: StoredBytes.make }),
  function* ({ ask, bytesAt }, call, caller) {
    return yield* ask(
      call,
      caller,
      Effect.fnUntraced(function* ({ input, output, snapshot }) {
        const { data, ...rest } = ObjectCall.objectOf(output)
        let room = input["response_format"] === "url" ? 0 : mostBytes
        const pictures: Array<Json> = []
        for (const picture of isList(data) ? data : []) {
          const url = isObject(picture) ? picture["url"] : picture
          const found = typeof url === "string" && room > 0 ? yield* bytesAt(url, room) : null
          room -= found?.bytes.length ?? 0
          pictures.push({
            ...(isObject(picture) ? picture : { url: picture }),
            ...(found !== null && { b64_json: Buffer.from(found.bytes).toString("base64") })
          })
        }
        const created = Math.floor(snapshot.request.submitted.at / 1_000)
        return Answer.json(200, { created, ...rest, data: pictures })
      })
    )
  }
)
