/**
 * Rebuilds the body of a webhook from the server's routes, byte for byte as `src/features/webhooks/DeliveryBody.ts`
 * writes it (contract, "Result / webhook payload").
 */
import { Effect, Schema } from "effect"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import { caller } from "#src/cli/platform/Platform.ts"
import { Platform } from "#src/cli/platform/Platform.ts"
import { Refused, Unreachable } from "#src/cli/platform/Refusal.ts"
import type { Happening } from "./Happenings.ts"

const callObject = caller(Schema.Record(Schema.String, Schema.Json))

/** Fields of `GET /requests/{id}` that are not part of the result. */
const besides: ReadonlySet<string> = new Set([
  "response_url",
  "status_url",
  "cancel_url",
  "billingStatus",
  "expiresAt",
  "erasedAt"
])

const resultIn = (retrieved: CanonicalJson.JsonObject): CanonicalJson.JsonObject =>
  Object.fromEntries(Object.entries(retrieved).filter(([name]) => !besides.has(name)))

/** The state of the request at its start (decisions, "Payload of `start`"). */
const atStart = {
  status: "IN_PROGRESS",
  output: null,
  error: null,
  inferenceTime: null,
  outcome: "pending",
  cost: "0",
  media: []
}

/** Whether the URL is at least as secure as the server's, so that the key is not sent in clear text. */
const isSafeFor = (key: { readonly url: string }, named: string): boolean =>
  named.startsWith("https:") || (named.startsWith("http:") && key.url.startsWith("http:"))

const isNotFound = (error: { readonly _tag: string }): error is Refused =>
  error instanceof Refused && error.status === 404

/** With the details of why there is no output: the 422 (contract, "Errors"). Where hosts differ it is on the queue's. */
const withoutOutput = Effect.fnUntraced(function* (
  { modelEndpoint, requestId }: Happening,
  retrieved: CanonicalJson.JsonObject
) {
  const platform = yield* Platform
  const named = String(retrieved["response_url"])
  const read = (path: string) => callObject({ method: "GET", path, accepts: [422] })
  return yield* Effect.catchIf(read(`/${modelEndpoint}/requests/${requestId}`), isNotFound, (error) =>
    isSafeFor(platform, named) ? read(named) : Effect.fail(error)
  )
})

/** The responding node lags behind the one that reported the end. */
const notEndedYet = (origin: string) =>
  new Unreachable({ origin, reason: "the end of the request is not known there yet" })

export const of = Effect.fnUntraced(function* (happening: Happening) {
  const { event, requestId } = happening
  const retrieved = yield* callObject({ method: "GET", path: `/requests/${requestId}` })
  const { billingStatus = null, outcome } = retrieved
  if (event === "start") return CanonicalJson.stringify({ ...resultIn(retrieved), ...atStart, event })
  if (billingStatus === null) return yield* notEndedYet(new URL((yield* Platform).url).origin)
  const isWithoutOutput = outcome === "invalid_output" || outcome === "provider_failed"
  const result = isWithoutOutput ? yield* withoutOutput(happening, retrieved) : resultIn(retrieved)
  return CanonicalJson.stringify({ ...result, event, billingStatus })
})
