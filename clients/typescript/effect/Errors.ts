/** Errors of the API as tagged errors, one class for each status (docs/reference/errors.md). Their names are those of `@inferlog/client`. */
import { Data, Schema, SchemaGetter } from "effect"
import { HttpApiSchema } from "effect/http-api"
import {
  ErrorBody,
  type ErrorDetails,
  FailedRequestStatus,
  type Issue,
  ResultWithoutOutput
} from "./Schemas.ts"

interface Fields {
  readonly message: string
  /** Why the input was refused, where the server lists it. */
  readonly issues: ReadonlyArray<Issue>
  /** `code` says what happened, such as `RATE_LIMITED`. */
  readonly details: Partial<ErrorDetails>
  /** Id of the exchange, as in the server's log. */
  readonly requestId: string
}

export class BadRequestError extends Data.TaggedError("BadRequestError")<Fields> {}
export class UnauthorizedError extends Data.TaggedError("UnauthorizedError")<Fields> {}
export class PaymentRequiredError extends Data.TaggedError("PaymentRequiredError")<Fields> {}
export class ForbiddenError extends Data.TaggedError("ForbiddenError")<Fields> {}
export class NotFoundError extends Data.TaggedError("NotFoundError")<Fields> {}
export class MethodNotAllowedError extends Data.TaggedError("MethodNotAllowedError")<Fields> {}
export class RequestTimeoutError extends Data.TaggedError("RequestTimeoutError")<Fields> {}
export class ConflictError extends Data.TaggedError("ConflictError")<Fields> {}
export class GoneError extends Data.TaggedError("GoneError")<Fields> {}
export class TooLargeError extends Data.TaggedError("TooLargeError")<Fields> {}
export class UnsupportedMediaTypeError extends Data.TaggedError("UnsupportedMediaTypeError")<Fields> {}
export class TooManyRequestsError extends Data.TaggedError("TooManyRequestsError")<Fields> {}
/** Status 500, 503 and 507. */
export class ServerError extends Data.TaggedError("ServerError")<Fields> {}

/** A request has ended without an output: it failed, or its output is not usable. */
export class RequestOutcomeError extends Data.TaggedError("RequestOutcomeError")<{
  readonly message: string
  readonly request: FailedRequestStatus | ResultWithoutOutput
}> {}

const messageOf = ({ error }: ErrorBody): string =>
  typeof error === "string"
    ? error
    : error
        .map(({ message, path }) => [path.join("."), message].filter((part) => part !== "").join(" "))
        .join("; ")

const answer = <Self extends Fields>(status: number, Class: new (fields: Fields) => Self) =>
  ErrorBody.pipe(
    Schema.decodeTo(Schema.instanceOf(Class), {
      decode: SchemaGetter.transform((body: ErrorBody) => {
        const issues = typeof body.error === "string" ? [] : body.error
        return new Class({
          message: messageOf(body),
          issues,
          details: body.details ?? {},
          requestId: body.request_id
        })
      }),
      encode: SchemaGetter.transform(({ details, issues, message, requestId }: Self): ErrorBody => ({
        error: issues.length > 0 ? issues : message,
        request_id: requestId,
        ...(details.code !== undefined && { details: { ...details, code: details.code } })
      }))
    }),
    HttpApiSchema.status(status)
  )

/** By status. */
export const answers = {
  400: answer(400, BadRequestError),
  401: answer(401, UnauthorizedError),
  402: answer(402, PaymentRequiredError),
  403: answer(403, ForbiddenError),
  404: answer(404, NotFoundError),
  405: answer(405, MethodNotAllowedError),
  408: answer(408, RequestTimeoutError),
  409: answer(409, ConflictError),
  410: answer(410, GoneError),
  413: answer(413, TooLargeError),
  415: answer(415, UnsupportedMediaTypeError),
  429: answer(429, TooManyRequestsError),
  500: answer(500, ServerError),
  503: answer(503, ServerError),
  507: answer(507, ServerError)
}

const Unusable = Schema.Union([FailedRequestStatus, ResultWithoutOutput])

const outcome = (status: number) =>
  Unusable.pipe(
    Schema.decodeTo(Schema.instanceOf(RequestOutcomeError), {
      decode: SchemaGetter.transform(
        (request: typeof Unusable.Type) =>
          new RequestOutcomeError({ message: request.error ?? "The request has no usable output.", request })
      ),
      encode: SchemaGetter.transform(({ request }: RequestOutcomeError) => request)
    }),
    HttpApiSchema.status(status)
  )

/** By the name of the body. */
export const outcomes = { FailedRequestStatus: outcome(400), ResultWithoutOutput: outcome(422) }
