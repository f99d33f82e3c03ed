/** The declared upload routes. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as BodyReader from "../edge/BodyReader.ts"
import type { Sent } from "../requests/JsonObjectBody.ts"
import * as CompleteUpload from "../routes/files/CompleteUpload.ts"
import * as InitiateUpload from "../routes/files/InitiateUpload.ts"
import * as ListParts from "../routes/files/ListParts.ts"
import * as PartUrl from "../routes/files/PartUrl.ts"
import * as Authorization from "./Authorization.ts"
import * as DeclaredRoutes from "./DeclaredRoutes.ts"
import { UploadsApi } from "./UploadsApi.ts"

const sent = (request: HttpServerRequest): Sent => ({
  headers: request.headers,
  readBody: BodyReader.read(request)
})

export const layer = DeclaredRoutes.layer({
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
