/** The call of a route of one request. */
import { Effect, Result } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type {
  RequestForbidden,
  RequestNotFound,
  Requests,
  Snapshot
} from "#src/features/requests/Requests.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { endpointOf, type EndpointParams } from "#src/edges/http/requests/EndpointParams.ts"
import * as RequestIdParam from "./RequestIdParam.ts"

export interface RequestCall {
  readonly caller: Caller
  readonly params: EndpointParams & { readonly requestId: string }
}

/** The request, if it belongs to the caller and to the model in the path. */
export const find = (
  requests: Requests["Service"],
  { caller, params }: RequestCall
): Effect.Effect<
  Snapshot,
  ErrorAnswer.ErrorAnswer | RequestNotFound | RequestForbidden | EventStoreError
> => {
  const id = RequestIdParam.parse(params.requestId)
  return Result.isFailure(id)
    ? Effect.fail(id.failure)
    : requests.get({ caller, id: id.success, endpoint: endpointOf(params) })
}
