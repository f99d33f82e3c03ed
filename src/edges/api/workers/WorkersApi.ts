/** The routes of workers that fetch jobs (docs/operators/workers.md). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { claimJob } from "./ClaimJob.ts"
import { endJob } from "./EndJob.ts"
import { jobHeartbeat } from "./JobHeartbeat.ts"
import { releaseJob } from "./ReleaseJob.ts"
import * as WorkerAuthorization from "./WorkerAuthorization.ts"

const routes = [claimJob, jobHeartbeat, endJob, releaseJob] as const

export class WorkersApi extends HttpApiGroup.make("workers")
  .add(...Route.endpointsOf(routes))
  .middleware(WorkerAuthorization.WorkerAuthorization)
  .annotate(ServedOn, ["platform", "queue"])
  .annotateMerge(
    OpenApi.annotations({
      title: "Workers",
      description: "For machines that run models and fetch their jobs, with a worker key."
    })
  ) {}

export const layer = DeclaredRoutes.layer(WorkerAuthorization.admit, routes)
