/** The declared routes of workers. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import { maxResultBytes } from "./WorkerBodies.ts"
import * as ClaimJob from "./ClaimJob.ts"
import * as EndJob from "./EndJob.ts"
import * as JobHeartbeat from "./JobHeartbeat.ts"
import * as ReleaseJob from "./ReleaseJob.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as WorkerAuthorization from "./WorkerAuthorization.ts"
import { WorkersApi } from "./WorkersApi.ts"

/** Of results, which may be large and come over a thin line: the heartbeats tell meanwhile that the worker lives. */
const readResult = (request: HttpServerRequest) =>
  Effect.provideService(BodyReader.read(request, maxResultBytes), BodyReader.BodyTimeout, "5 minutes")

export const layer = DeclaredRoutes.layerOfHandlers({
  group: WorkersApi,
  admit: WorkerAuthorization.admit,
  services: Effect.all({
    claim: ClaimJob.make,
    heartbeat: JobHeartbeat.make,
    end: EndJob.make,
    release: ReleaseJob.make
  }),
  handlers: ({ claim, end, heartbeat, release }) => ({
    claimJob: ({ request }, worker) =>
      claim({ worker, request, headers: request.headers, readBody: BodyReader.read(request) }),
    jobHeartbeat: ({ params, request }, worker) =>
      heartbeat({ worker, params, headers: request.headers, readBody: BodyReader.read(request) }),
    endJob: ({ params, request }, worker) =>
      end({
        worker,
        params,
        headers: request.headers,
        limit: maxResultBytes,
        readBody: readResult(request)
      }),
    releaseJob: ({ params, request }, worker) =>
      release({ worker, params, headers: request.headers, readBody: BodyReader.read(request) })
  })
})
