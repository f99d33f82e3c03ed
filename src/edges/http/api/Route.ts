/** A route of the declared API: what it takes and answers, and what serves it, in one value. */
import type { Effect } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Call, Reply } from "./DeclaredRoutes.ts"

/** A route for callers of one kind: `Caller` is the account's, `Worker` a worker's, `void` of a public route. */
export interface Route<Endpoint extends HttpApiEndpoint.Constraint, Caller, E, R> {
  readonly endpoint: Endpoint
  /** Built once, when the server starts. */
  readonly serve: Effect.Effect<(call: Call<Endpoint>, caller: Caller) => Reply, E, R>
}

export const make = <Endpoint extends HttpApiEndpoint.Constraint, Caller, E, R>(
  endpoint: Endpoint,
  serve: Effect.Effect<(call: Call<Endpoint>, caller: Caller) => Reply, E, R>
): Route<Endpoint, Caller, E, R> => ({ endpoint, serve })
