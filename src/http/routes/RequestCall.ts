/** What the routes of one request are called with. */
import { Effect } from "effect"
import type { Caller } from "#src/accounts/Caller.ts"
import type { Requests } from "#src/requests/Requests.ts"
import { endpointOf, type EndpointParams } from "../requests/EndpointParams.ts"
import * as RequestIdParam from "../requests/RequestIdParam.ts"

export interface RequestCall {
  readonly caller: Caller
  readonly params: EndpointParams & { readonly requestId: string }
}

/** The request, if it is the caller's and its model the one of the path. */
export const find = Effect.fnUntraced(function* (
  requests: Requests["Service"],
  { caller, params }: RequestCall
) {
  const id = yield* Effect.fromResult(RequestIdParam.parse(params.requestId))
  return yield* requests.get({ caller, id, endpoint: endpointOf(params) })
})
