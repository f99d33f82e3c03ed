/** The declared callback routes. */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as Callback from "./Callback.ts"
import { CallbacksApi } from "./CallbacksApi.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"

const callOf = (
  params: Callback.CallbackCall["address"],
  request: HttpServerRequest
): Callback.CallbackCall => ({
  address: params,
  headers: request.headers,
  readBody: BodyReader.read(request, Callback.maxBytes)
})

export const layer = DeclaredRoutes.layerOfHandlers({
  group: CallbacksApi,
  admit: DeclaredRoutes.everybody,
  services: Callback.make,
  handlers: (callback) => ({
    callback: ({ params, request }) => callback(callOf(params, request)),
    putCallback: ({ params, request }) => callback(callOf(params, request))
  })
})
