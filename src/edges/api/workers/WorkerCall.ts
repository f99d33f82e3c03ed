/** What the routes of one job are called with. */
import { Effect, Result } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { OfLease } from "#src/features/providers/workers/WorkerCalls.ts"
import type { Worker } from "#src/features/providers/workers/WorkerAuthentication.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as JsonObjectBody from "#src/edges/http/requests/JsonObjectBody.ts"
import type { Parsed } from "#src/edges/http/requests/Parsed.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"

export interface WorkerCall extends JsonObjectBody.Sent {
  readonly worker: Worker
}

export interface JobCall extends WorkerCall {
  readonly params: { readonly leaseId: string }
}

export const ofLease = ({ params, worker }: JobCall): OfLease => ({ worker, leaseId: params.leaseId })

const hasBody = (headers: RequestHeaders): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** A body that may be left out. */
export const read = Effect.fnUntraced(function* <A>(
  sent: JsonObjectBody.Sent,
  parse: (body: JsonObject) => Parsed<A>
) {
  const parsed = parse(hasBody(sent.headers) ? yield* JsonObjectBody.read(sent) : {})
  return Result.isFailure(parsed) ? yield* Refusal.invalid(parsed.failure) : parsed.success
})
