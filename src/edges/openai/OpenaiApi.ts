/** OpenAI's API at `/v1`: a translation onto requests, files and the catalog (decision 69). */
import { Layer } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import * as Audio from "./audio/AudioRoutes.ts"
import * as Completing from "./completing/CompletingRoutes.ts"
import * as Files from "./files/FileRoutes.ts"
import * as Models from "./models/ModelRoutes.ts"
import { createEmbedding } from "./objects/EmbeddingsRoute.ts"
import { createImage } from "./objects/ImagesRoute.ts"
import { createResponse } from "./responses/ResponsesRoute.ts"
import * as OpenaiRoute from "./OpenaiRoute.ts"

const routes = [
  Models.listModels,
  Models.getModel,
  Models.getModelByParts,
  Completing.createChatCompletion,
  Completing.createCompletion,
  createResponse,
  createEmbedding,
  createImage,
  Audio.createTranscription,
  Audio.createSpeech,
  Files.createFile,
  Files.listFiles,
  Files.getFile,
  Files.getContent,
  Files.deleteFile
] as const

export class OpenaiApi extends HttpApiGroup.make("openai")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["queue", "platform"])
  .annotate(OpenApi.Title, "OpenAI")
  .annotate(
    OpenApi.Description,
    "OpenAI's API, for its clients: `baseURL` is this server's address with `/v1`, the API key is one of this server's."
  ) {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes, OpenaiRoute.form).pipe(
  Layer.provide(EventStreams.layer)
)
