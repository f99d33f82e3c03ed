/** The files of an account: its uploads, and the outputs of its requests (decisions, "Platform routes"). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { deleteFile } from "./DeleteFile.ts"
import { getFile } from "./GetFile.ts"
import { listFiles } from "./ListFiles.ts"

const routes = [listFiles, getFile, deleteFile] as const

export class FilesApi extends HttpApiGroup.make("files")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["platform"])
  .annotateMerge(
    OpenApi.annotations({ title: "Files", description: "What the account has stored, and for how long." })
  ) {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes)
