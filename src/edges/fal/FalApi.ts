/**
 * fal's client, `@fal-ai/client`, unchanged: all its calls arrive at one path, and a header names the address at fal that each
 * is for (decision 71). They are translated onto the same services as the calls of the other routes.
 */
import { Effect, Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { AnswersHead, Requires, ServedOn, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as FalErrors from "./FalErrors.ts"
import * as FalOperations from "./FalOperations.ts"
import * as Paths from "./Paths.ts"
import * as FalStatus from "./requests/FalStatus.ts"
import * as Target from "./Target.ts"

const headers = {
  [Target.header]: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "fal's address of the operation: of `fal.run`, `queue.fal.run` or `rest.fal.ai`. It is translated and never fetched."
    })
  )
}

const output = Schema.Json.annotate({ description: "The output of the model, as the model defines it." })
const events = Schema.String.annotate({ description: "Server-sent events." }).pipe(
  HttpApiSchema.asText({ contentType: "text/event-stream" })
)
const status = (code: number) => FalStatus.StatusBody.pipe(HttpApiSchema.status(code))

const send = HttpApiEndpoint.post("sendToFal", Paths.proxy, {
  headers,
  payload: Schema.Record(Schema.String, Schema.Json).annotate({
    description: "The input of the model, or what the operation takes."
  }),
  success: [output, events],
  error: [...FalErrors.ofKeys, ...FalErrors.ofBodies]
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "submit")
  .annotate(OpenApi.Summary, "Submit, run, stream or upload")
  .annotate(
    OpenApi.Description,
    "`fal.queue.submit`, `fal.run`, `fal.stream` and the beginning of `fal.storage.upload`, which needs `files:write`."
  )

const read = HttpApiEndpoint.get("readFromFal", Paths.proxy, {
  headers,
  success: [output, status(202), events],
  error: FalErrors.ofKeys
})
  .annotate(Requires, "requests:read")
  .annotate(TakesTokens, "request")
  .annotate(AnswersHead, false)
  .annotate(OpenApi.Summary, "Status or result")
  .annotate(OpenApi.Description, "`fal.queue.status`, `fal.queue.streamStatus` and `fal.queue.result`.")

const cancel = HttpApiEndpoint.put("cancelAtFal", Paths.proxy, {
  headers,
  success: Schema.Struct({
    status: Schema.Literals(["CANCELLATION_REQUESTED"]),
    detail: Schema.String,
    message: Schema.String
  })
    .annotate({ identifier: "FalCancellation" })
    .pipe(HttpApiSchema.status(202)),
  error: FalErrors.ofKeys
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "request")
  .annotate(OpenApi.Summary, "Cancel")
  .annotate(OpenApi.Description, "`fal.queue.cancel`.")

const routes = [
  Route.prepared(send, FalOperations.serve("POST")),
  Route.prepared(read, FalOperations.serve("GET")),
  Route.prepared(cancel, FalOperations.serve("PUT"))
] as const

export class FalApi extends HttpApiGroup.make("fal")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["queue"])
  .annotate(OpenApi.Title, "fal's client")
  .annotate(OpenApi.Description, "What `@fal-ai/client` calls with `proxyUrl`.") {}

const methodOf = (method: string): Target.Method => (method === "GET" || method === "PUT" ? method : "POST")

/** What the operation needs is known by the address alone. A call without a proper one is refused after its key was checked. */
const admit = Effect.map(Authorization.admit, (admit): DeclaredRoutes.Admit<Caller> => {
  const gates = new Map<Target.Target["_tag"], ReturnType<typeof admit>>()
  const gateOf = (tag: Target.Target["_tag"]) => {
    const { scope, tokens } = Target.accessOf(tag)
    const made = gates.get(tag) ?? admit(scope, tokens)
    gates.set(tag, made)
    return made
  }
  return (requires, tokens) => {
    const other = admit(requires, tokens)
    return (request) => {
      const target = Target.parse(request.headers[Target.header], methodOf(request.method))
      return (Result.isSuccess(target) ? gateOf(target.success._tag) : other)(request)
    }
  }
})

export const layer = DeclaredRoutes.layer(admit, routes, FalErrors.form)
