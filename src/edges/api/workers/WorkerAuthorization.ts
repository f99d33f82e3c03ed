/** `Authorization: Key <WORKER_KEY>`: the key of a worker. */
import { Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { type Worker, WorkerAuthentication } from "#src/features/providers/workers/WorkerAuthentication.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as WorkerErrorAnswers from "#src/edges/http/WorkerErrorAnswers.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import type { Admit } from "#src/edges/http/api/DeclaredRoutes.ts"

const workerKey = HttpApiSecurity.apiKey({ key: "Authorization", in: "header" }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "`Key <WORKER_KEY>`: the scheme word `Key`, a space, then a key of `inferlog workers create`. `Bearer` is taken as well."
  )
)

/** Declares the security scheme and its answers. `admit` implements it. */
export class WorkerAuthorization extends HttpApiMiddleware.Service<WorkerAuthorization>()(
  "inferlog/src/edges/api/workers/WorkerAuthorization",
  { security: { workerKey }, error: CommonResponses.unauthorized }
) {}

/** Characters of a header about the worker that are kept. */
const longestText = 100

const textOf = (header: string | undefined): string | null => {
  const text = (header ?? "")
    .replace(/[^\x20-\x7e]/g, "")
    .trim()
    .slice(0, longestText)
  return text === "" ? null : text
}

const aboutOf = (headers: Readonly<Record<string, string | undefined>>): NonNullable<Worker["about"]> => ({
  id: textOf(headers["x-worker-id"]),
  version: textOf(headers["x-worker-version"]) ?? textOf(headers["user-agent"])
})

/** Authenticates the worker of a request. */
export const admit = Effect.map(
  WorkerAuthentication,
  ({ authenticate }): Admit<Worker> =>
    () =>
    (request) =>
      Effect.matchEffect(authenticate(request.headers["authorization"]), {
        onSuccess: (worker) =>
          Effect.succeed({
            caller: { ...worker, about: aboutOf(request.headers) },
            headers: Answer.noHeaders
          }),
        onFailure: (error) =>
          Effect.fail(error._tag === "Unauthorized" ? WorkerErrorAnswers.unauthorized : error)
      })
)
