/** Stored files at their canonical URLs (contract, "Uploads"). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as PublicReads from "#src/edges/http/api/PublicReads.ts"
import { OpenToAnyOrigin, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { getMedia } from "./GetMedia.ts"
import { receiveFile } from "./ReceiveFile.ts"

const routes = [getMedia, receiveFile] as const

export class MediaApi extends HttpApiGroup.make("media")
  .add(...Route.endpointsOf(routes))
  .annotate(ServedOn, ["media"])
  // The URLs are the credentials, so pages that have them may use them.
  .annotate(OpenToAnyOrigin, true)
  .annotate(OpenApi.Title, "Media")
  .annotate(OpenApi.Description, "Files, by their canonical URLs.") {}

export const layer = DeclaredRoutes.layer(PublicReads.admit, routes)
