/** Replicate's API for its clients: a translation onto the services of the other routes (docs/apps/from-replicate.md). */
import { Layer } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { getAccount, getWebhookSecret } from "./Account.ts"
import { createFile } from "./files/CreateFile.ts"
import { deleteFile, getFile, listFiles } from "./files/Files.ts"
import {
  getDeployment,
  getModel,
  getVersion,
  listModels,
  listVersions,
  searchModels
} from "./models/Models.ts"
import {
  createDeploymentPrediction,
  createModelPrediction,
  createPrediction
} from "./predictions/CreatePrediction.ts"
import { cancelPrediction, getPrediction, listPredictions } from "./predictions/ReadPredictions.ts"
import { streamPrediction } from "./predictions/StreamPrediction.ts"
import * as ReplicateErrors from "./ReplicateErrors.ts"

const ofAccount = [
  createPrediction,
  createModelPrediction,
  createDeploymentPrediction,
  listPredictions,
  getPrediction,
  cancelPrediction,
  createFile,
  listFiles,
  getFile,
  deleteFile,
  getAccount,
  getWebhookSecret
] as const

export class ReplicateApi extends HttpApiGroup.make("replicate")
  .add(...Route.endpointsOf(ofAccount))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["queue", "platform"])
  .annotate(OpenApi.Title, "Replicate")
  .annotate(OpenApi.Description, "For clients of Replicate's API: `baseUrl` is `…/compat/replicate/v1`.") {}

const open = [
  streamPrediction,
  listModels,
  searchModels,
  getModel,
  listVersions,
  getVersion,
  getDeployment
] as const

export class ReplicateCatalogApi extends HttpApiGroup.make("replicateCatalog")
  .add(...Route.endpointsOf(open))
  .annotate(ServedOn, ["queue", "platform"])
  .annotate(OpenApi.Title, "Replicate catalog")
  .annotate(
    OpenApi.Description,
    "For clients of Replicate's API. Public, but for streams, whose URLs have a credential."
  ) {}

export const layer = Layer.merge(
  DeclaredRoutes.layer(Authorization.admit, ofAccount, ReplicateErrors.form),
  DeclaredRoutes.layer(DeclaredRoutes.everybody, open, ReplicateErrors.form)
)
