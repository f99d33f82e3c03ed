/**
 * The JSON of a worker's report, which may be compressed. One that is no JSON, as where Python writes `NaN`, or that cannot be
 * decompressed, ends the run: the worker would write the same again, so the request fails at once with the reason that the
 * worker gets.
 */
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { isObject } from "#domain/CanonicalJson.ts"
import * as ContentDecoding from "#src/features/providers/ContentDecoding.ts"
import * as ErrorOutcomes from "#src/features/providers/ErrorOutcomes.ts"
import * as ProviderJson from "#src/features/providers/ProviderJson.ts"
import type { OfLease, WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as BodyHeaders from "#src/edges/http/requests/BodyHeaders.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"

interface Report {
  readonly request: HttpServerRequest
  readonly lease: OfLease
  /** As in "The provider's … is not JSON". */
  readonly what: string
  /** Of the body, as it comes and decompressed, bytes. */
  readonly limit: number
}

/** Fails with the lease's error if the run is not the worker's, and otherwise with a 400 after the end is on the log. */
const refuse = (calls: WorkerCalls["Service"], { lease, what }: Report, fault: ProviderJson.Fault) =>
  Effect.andThen(
    calls.end(lease, ErrorOutcomes.notJson(fault, what)),
    Effect.fail(ErrorAnswer.malformed(`The request body is ${fault}. The request has ended.`))
  )

const unsupportedEncoding = new ErrorAnswer.ErrorAnswer({
  status: 415,
  error: `The request body must be sent with one of the content encodings ${ContentDecoding.accepted}, or without.`,
  headers: { "accept-encoding": ContentDecoding.accepted }
})

const check = ({ limit, request: { headers } }: Report): Result.Result<void, ErrorAnswer.ErrorAnswer> =>
  Result.flatMap(BodyHeaders.checkType(headers), () =>
    ContentDecoding.isAccepted(headers["content-encoding"] ?? "")
      ? BodyHeaders.checkLength(headers, limit)
      : Result.fail(unsupportedEncoding)
  )

const contentOf = (calls: WorkerCalls["Service"], report: Report, body: Uint8Array) => {
  const { limit, request } = report
  const coding = ContentDecoding.nameIn(request.headers["content-encoding"] ?? "")
  if (coding === null) return Effect.succeed(body)
  return Effect.catch(ContentDecoding.whole(body, { coding, limit }), (reason) =>
    reason === "too_large"
      ? Effect.fail(ErrorAnswer.bodyTooLarge(limit))
      : refuse(calls, report, `encoded as ${coding}, and cannot be decoded`)
  )
}

export const read = Effect.fnUntraced(function* (calls: WorkerCalls["Service"], report: Report) {
  const { limit, request } = report
  yield* Effect.fromResult(check(report))
  const body = yield* BodyReader.read(request, limit)
  const bytes = yield* contentOf(calls, report, body)
  const parsed = ProviderJson.parse(bytes)
  if (parsed._tag === "Failure") return yield* refuse(calls, report, parsed.failure)
  return isObject(parsed.success) ? parsed.success : yield* JsonBody.notAnObject
})
