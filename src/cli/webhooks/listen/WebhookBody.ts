/** Rebuilds a webhook's body from the server's routes, byte for byte (`src/features/webhooks/DeliveryBody.ts`). */
import { Effect, Schema } from "effect"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import { Platform, route } from "#src/cli/platform/Platform.ts"
import { Refused, Unreachable } from "#src/cli/platform/CallErrors.ts"
import type { SelectedEvent } from "./EventSelection.ts"

const get = route(
  Schema.Record(Schema.String, Schema.Json),
  (path: string, accepts: ReadonlyArray<number> = []) => ({ method: "GET", path, accepts })
)

/** Fields of `GET /requests/{id}` that are not part of the result. */
const excluded: ReadonlySet<string> = new Set([
  "response_url",
  "status_url",
  "cancel_url",
  "billingStatus",
  "expiresAt",
  "erasedAt"
])

const resultIn = (retrieved: CanonicalJson.JsonObject): CanonicalJson.JsonObject =>
  Object.fromEntries(Object.entries(retrieved).filter(([name]) => !excluded.has(name)))

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

/** Whether the URL is at least as secure as the server's. Otherwise the key would be sent in clear text. */
const isAsSecure = (url: string, serverUrl: string): boolean =>
  url.startsWith("https:") || (url.startsWith("http:") && serverUrl.startsWith("http:"))

const isNotFound = (error: { readonly _tag: string }): error is Refused =>
  error instanceof Refused && error.status === 404

/** The 422 with the reason of the missing output (contract, "Errors"). If hosts differ, only the queue host serves it. */
const withoutOutput = Effect.fnUntraced(function* (
  { modelEndpoint, requestId }: SelectedEvent,
  retrieved: CanonicalJson.JsonObject
) {
  const platform = yield* Platform
  const responseUrl = String(retrieved["response_url"])
  const read = (path: string) => get(path, [422])
  return yield* Effect.catchIf(read(`/${modelEndpoint}/requests/${requestId}`), isNotFound, (error) =>
    isAsSecure(responseUrl, platform.url) ? read(responseUrl) : Effect.fail(error)
  )
})

/** The responding node lags behind the one that reported the end. */
const notEndedYet = (origin: string) =>
  new Unreachable({ origin, reason: "the end of the request has not reached this node yet" })

export const of = Effect.fnUntraced(function* (selected: SelectedEvent) {
  const { event, requestId } = selected
  const retrieved = yield* get(`/requests/${requestId}`)
  const { billingStatus = null, outcome } = retrieved
  if (event === "start") return CanonicalJson.stringify({ ...resultIn(retrieved), ...atStart, event })
  if (billingStatus === null) return yield* notEndedYet(new URL((yield* Platform).url).origin)
  const isWithoutOutput = outcome === "invalid_output" || outcome === "provider_failed"
  const result = isWithoutOutput ? yield* withoutOutput(selected, retrieved) : resultIn(retrieved)
  return CanonicalJson.stringify({ ...result, event, billingStatus })
})
