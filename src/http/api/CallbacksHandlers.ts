/** The declared callback routes. */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as BodyReader from "../edge/BodyReader.ts"
import * as Callback from "../routes/Callback.ts"
import { CallbacksApi } from "./CallbacksApi.ts"
import * as DeclaredRoutes from "./DeclaredRoutes.ts"

const callOf = (
  params: Callback.CallbackCall["address"],
  request: HttpServerRequest
): Callback.CallbackCall => ({
  address: params,
  headers: request.headers,
  readBody: BodyReader.read(request, Callback.maxBytes)
})

export const layer = DeclaredRoutes.layer({
  group: CallbacksApi,
  admit: DeclaredRoutes.everybody,
  services: Callback.make,
  handlers: (callback) => ({
    callback: ({ params, request }) => callback(callOf(params, request)),
    putCallback: ({ params, request }) => callback(callOf(params, request))
  })
})
