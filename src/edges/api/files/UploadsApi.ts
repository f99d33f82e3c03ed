/** How clients upload files (contract, "Uploads"). The bytes go to the URLs that these routes give out. */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { completeUpload } from "./CompleteUpload.ts"
import { partUrl } from "./GetPartUrl.ts"
import { initiateMultipart } from "./InitiateMultipart.ts"
import { initiateUpload } from "./InitiateUpload.ts"
import { listParts } from "./ListParts.ts"

const routes = [initiateUpload, initiateMultipart, partUrl, listParts, completeUpload] as const

export class UploadsApi extends HttpApiGroup.make("uploads")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["platform"])
  .annotateMerge(
    OpenApi.annotations({ title: "Uploads", description: "Uploading files, in one piece or in parts." })
  ) {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes)
