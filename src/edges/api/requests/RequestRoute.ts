/** What the routes of requests have in common (contract, "Request lifecycle"). */
import { Effect, Result, Schema } from "effect"
import { type RequestId, requestIdPattern } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { Requests, Snapshot, WantedPayloads } from "#src/features/requests/Requests.ts"
import * as ModelParameters from "#src/edges/http/api/ModelParameters.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { endpointOf, type EndpointParams } from "#src/edges/http/requests/EndpointParams.ts"

export const described = (description: string) => Schema.String.annotate({ description })
export const optional = (description: string) => Schema.optionalKey(described(description))

export const params = { requestId: described("21 characters of `A-Za-z0-9_-`.") }
export const paramsOfModel = { ...ModelParameters.ofModel, ...params }

/** The call of a route of one request. */
export interface CallById {
  readonly caller: Caller
  readonly params: { readonly requestId: string }
}

/** The call of a route of one request of a model. */
export interface RequestCall extends CallById {
  readonly params: EndpointParams & { readonly requestId: string }
}

const isRequestId = (text: string): text is RequestId => requestIdPattern.test(text)

/** An id of another length or alphabet is malformed (400), not unknown (decisions, "request_id"). */
export const parseId = (text: string): Result.Result<RequestId, ErrorAnswer.ErrorAnswer> =>
  isRequestId(text) ? Result.succeed(text) : Result.fail(ErrorAnswer.malformedRequestId)

const malformedId = Effect.fail(ErrorAnswer.malformedRequestId)

type GetError = Effect.Error<ReturnType<Requests["Service"]["get"]>>
type Found = Effect.Effect<Snapshot, ErrorAnswer.ErrorAnswer | GetError>

/** The request, if it belongs to the caller. */
export const findById = (requests: Requests["Service"], { caller, params: { requestId } }: CallById): Found =>
  isRequestId(requestId) ? requests.get({ caller, id: requestId }) : malformedId

/** The request, if it belongs to the caller and to the model in the path. */
export const find = (requests: Requests["Service"], { caller, params }: RequestCall): Found =>
  isRequestId(params.requestId)
    ? requests.get({ caller, id: params.requestId, endpoint: endpointOf(params) })
    : malformedId

/** The stored input and output. Fails when storage has lost or damaged one. */
export const payloadsOf = (requests: Requests["Service"], snapshot: Snapshot, wanted?: WantedPayloads) =>
  Effect.catchEager(requests.payloadTexts(snapshot, wanted), (error) =>
    Effect.fail(error._tag === "PayloadUnavailable" ? ErrorAnswer.payloadDamaged : error)
  )
