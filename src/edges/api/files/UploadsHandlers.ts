/** The declared upload routes. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import type { Sent } from "#src/edges/http/requests/JsonObjectBody.ts"
import * as CompleteUpload from "./CompleteUpload.ts"
import * as InitiateUpload from "./InitiateUpload.ts"
import * as ListParts from "./ListParts.ts"
import * as PartUrl from "./PartUrl.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { UploadsApi } from "./UploadsApi.ts"

const sent = (request: HttpServerRequest): Sent => ({
  headers: request.headers,
  readBody: BodyReader.read(request)
})

export const layer = DeclaredRoutes.layerOfHandlers({
  group: UploadsApi,
  admit: Authorization.admit,
  services: Effect.all({
    initiate: InitiateUpload.make,
    partUrl: PartUrl.make,
    listParts: ListParts.make,
    complete: CompleteUpload.make
  }),
  handlers: ({ complete, initiate, listParts, partUrl }) => ({
    initiateUpload: ({ request }, caller) => initiate.single({ caller, ...sent(request) }),
    initiateMultipart: ({ request }, caller) => initiate.multipart({ caller, ...sent(request) }),
    partUrl: ({ query }, caller) => partUrl({ caller, query }),
    listParts: ({ query }, caller) => listParts({ caller, query }),
    completeUpload: ({ request }, caller) => complete({ caller, ...sent(request) })
  })
})
