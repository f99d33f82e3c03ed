/** The declared lifecycle routes over `RequestRoutes`: what they answer is the same on every transport. */
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import { RequestRoutes } from "./RequestRoutes.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { QueueApi } from "./QueueApi.ts"

export const layer = DeclaredRoutes.layerOfHandlers({
  group: QueueApi,
  admit: Authorization.admit,
  services: RequestRoutes,
  handlers: ({ cancel, erase, result, retrieve, status, submit }) => ({
    submit: ({ params, query, request }, caller) =>
      submit({
        caller,
        params,
        headers: request.headers,
        wait: query.wait,
        readBody: (grow) => BodyReader.read(request, JsonBody.maxBytes, grow)
      }),
    status: ({ params, query, request }, caller) =>
      status({ caller, params, headers: request.headers, wait: query.wait }),
    result: ({ params }, caller) => result({ caller, params }),
    cancel: ({ params }, caller) => cancel({ caller, params }),
    cancelByPut: ({ params }, caller) => cancel({ caller, params }),
    cancelByPost: ({ params }, caller) => cancel({ caller, params }),
    retrieve: ({ params }, caller) => retrieve({ caller, params }),
    erasePayloads: ({ params }, caller) => erase({ caller, params })
  })
})
