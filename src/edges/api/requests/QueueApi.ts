/**
 * The request lifecycle (contract, "Request lifecycle"). Its handlers are in `RequestHandlers`: `FastPath` serves some of them
 * on a transport of its own.
 */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import * as Cancel from "./Cancel.ts"
import * as Erase from "./Erase.ts"
import { RequestHandlers } from "./RequestHandlers.ts"
import * as Result from "./Result.ts"
import * as Retrieve from "./Retrieve.ts"
import * as Status from "./Status.ts"
import * as Submit from "./Submit.ts"

export class QueueApi extends HttpApiGroup.make("queue")
  .add(
    Submit.endpoint,
    Status.endpoint,
    Result.endpoint,
    Cancel.byGet,
    Cancel.byPut,
    Cancel.byPost,
    Retrieve.endpoint,
    Erase.endpoint
  )
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["queue"])
  .annotateMerge(
    OpenApi.annotations({
      title: "Requests",
      description: "Submit inference requests and follow them to their end."
    })
  ) {}

export const layer = DeclaredRoutes.layerOfHandlers({
  group: QueueApi,
  admit: Authorization.admit,
  services: RequestHandlers,
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
