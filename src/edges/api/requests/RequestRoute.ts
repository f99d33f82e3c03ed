/** What the routes of requests have in common (contract, "Request lifecycle"). */
import { Effect, Result, Schema } from "effect"
import { RequestId, requestIdPattern } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { Requests, Snapshot, WantedPayloads } from "#src/features/requests/Requests.ts"
import * as ModelParameters from "#src/edges/http/api/ModelParameters.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { endpointOf, type EndpointParams } from "#src/edges/http/requests/EndpointParams.ts"

export const described = (description: string) => Schema.String.annotate({ description })
export const optional = (description: string) => Schema.optionalKey(described(description))

export const params = { requestId: described("21 characters of `A-Za-z0-9_-`.") }
export const paramsOfModel = { ...ModelParameters.ofModel, ...params }

/** The call of a route of one request of a model. */
export interface RequestCall {
  readonly caller: Caller
  readonly params: EndpointParams & { readonly requestId: string }
}

/** An id of another length or alphabet is malformed (400), not unknown (decisions, "request_id"). */
export const parseId = (text: string): Result.Result<RequestId, ErrorAnswer.ErrorAnswer> =>
  requestIdPattern.test(text)
    ? Result.succeed(RequestId.make(text))
    : Result.fail(ErrorAnswer.malformedRequestId)

type GetError = Effect.Error<ReturnType<Requests["Service"]["get"]>>

/** The request, if it belongs to the caller and to the model in the path. */
export const find = (
  requests: Requests["Service"],
  { caller, params }: RequestCall
): Effect.Effect<Snapshot, ErrorAnswer.ErrorAnswer | GetError> => {
  const id = parseId(params.requestId)
  return Result.isFailure(id)
    ? Effect.fail(id.failure)
    : requests.get({ caller, id: id.success, endpoint: endpointOf(params) })
}

/** The stored input and output. Fails when storage has lost or damaged one. */
export const payloadsOf = (requests: Requests["Service"], snapshot: Snapshot, wanted?: WantedPayloads) =>
  Effect.catchTag(requests.payloadTexts(snapshot, wanted), "PayloadUnavailable", () =>
    Effect.fail(ErrorAnswer.payloadDamaged)
  )
