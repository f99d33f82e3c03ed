/** `Authorization: Key <WORKER_KEY>`: a worker's key, which is no account's. */
import { Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { type Worker, WorkerAuthentication } from "#src/features/providers/workers/WorkerAuthentication.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as WorkerRefusals from "#src/edges/http/WorkerRefusals.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import type { Admit } from "#src/edges/http/api/DeclaredRoutes.ts"

const workerKey = HttpApiSecurity.apiKey({ key: "Authorization", in: "header" }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "`Key <WORKER_KEY>`: the scheme word `Key`, a space, then a key of `inferlog workers create`. `Bearer` is taken as well."
  )
)

/** The declaration, with what every route of a worker may answer. `admit` is what carries it out. */
export class WorkerAuthorization extends HttpApiMiddleware.Service<WorkerAuthorization>()(
  "inferlog/src/edges/api/workers/WorkerAuthorization",
  { security: { workerKey }, error: CommonResponses.unauthorized }
) {}

/** From a request to its worker. */
export const admit = Effect.map(
  WorkerAuthentication,
  ({ authenticate }): Admit<Worker> =>
    () =>
    (request) =>
      Effect.matchEffect(authenticate(request.headers["authorization"]), {
        onSuccess: (caller) => Effect.succeed({ caller, headers: Answer.noHeaders }),
        onFailure: (error) => Effect.fail(error._tag === "Unauthorized" ? WorkerRefusals.unauthorized : error)
      })
)
