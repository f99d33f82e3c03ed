/** Serves the operations as routes under `/admin/v1`, for operators that `admit` finds. */
import { Effect, Layer, Predicate } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import { UnderWay } from "#src/edges/http/edge/Exchanges.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as JsonObjectBody from "#src/edges/http/requests/JsonObjectBody.ts"
import { actAs, type Operator } from "#src/features/operators/Operator.ts"
import * as AdminApi from "./AdminApi.ts"
import { Administration } from "./Administration.ts"
import * as Calls from "./Calls.ts"
import * as ErrorStatuses from "./ErrorStatuses.ts"
import * as LogRoutes from "./log/LogRoutes.ts"
import type { Any } from "./Operation.ts"
import { permit } from "./Permit.ts"

/** Bytes. Large enough for dozens of definitions of the catalog. */
const bodyLimit = 1_024 * 1_024

const tagOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") ? String(error._tag) : "Unexpected"

/** What failed, with its code and its fields. */
const answerOf = (wire: Calls.Wired, error: unknown) =>
  Effect.map(Effect.orDie(wire.encodeError(error)), (fields) => {
    const status = ErrorStatuses.of(tagOf(error))
    const message = Predicate.hasProperty(error, "message") ? String(error.message) : ""
    return new ErrorAnswer.ErrorAnswer({
      status,
      error: message,
      details: {
        code: Calls.codeOf(tagOf(error)),
        ...(Object.keys(fields).length > 0 && { about: fields })
      },
      ...(status === 503 && { headers: { "retry-after": "5" } })
    })
  })

type Run = (payload: Calls.Payload) => Effect.Effect<unknown, unknown>

interface Given extends Pick<Route.Call<never>, "request"> {
  readonly params: unknown
  readonly query: unknown
}

const routeOf = (operation: Any) =>
  Route.prepared(
    AdminApi.endpointOf(operation),
    Effect.map(Administration, (administration) => {
      const wired = Calls.wired(operation)
      const run = (administration as unknown as Record<string, Run>)[operation.name]
      if (run === undefined) throw new Error(`expected an implementation of ${operation.name}`)

      return Effect.fnUntraced(function* ({ params, query, request }: Given, operator: Operator) {
        yield* permit(operator, operation.role)
        const wire = wired()
        const body = Calls.hasBody(operation)
          ? yield* JsonObjectBody.readIfSent({
              headers: request.headers,
              limit: bodyLimit,
              readBody: BodyReader.read(request, bodyLimit)
            })
          : null
        const call = { params: { ...Object(params) }, query: { ...Object(query) }, body }
        const payload = yield* ErrorAnswer.orInvalid(wire.decode(call))
        yield* permit(operator, operation.roleOf(payload as never))
        const { correlationId: callId } = yield* UnderWay
        const result = yield* run(payload).pipe(
          actAs({ operator, callId }),
          Effect.catch((error) => Effect.flatMap(answerOf(wire, error), Effect.fail))
        )
        if (Calls.isVoid(operation)) return Answer.empty(204, { "cache-control": "no-store" })
        return Answer.values(200, (yield* Effect.orDie(wire.encodeSuccess(result))) as Json)
      })
    })
  )

/** @param admit how operators are found: by their keys, or as the owner of the socket. */
export const layer = <E, R>(admit: Effect.Effect<DeclaredRoutes.Admit<Operator>, E, R>) =>
  Layer.unwrap(
    // Made once, so that all routes count wrong keys together.
    Effect.map(admit, (made) => {
      const admitted = Effect.succeed(made)
      const operations = DeclaredRoutes.layer(admitted, AdminApi.operations.map(routeOf))
      return Layer.merge(operations, LogRoutes.layer(admitted))
    })
  )
