/** The public fields of each event. Hashes, salts, sizes, nodes, job ids and providers' names are not public. */
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { Event as RequestEvent, RequestSubmitted } from "#domain/inference-request/Event.ts"
import * as Money from "#domain/Money.ts"
import type { UpstreamError } from "#domain/UpstreamError.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { Event as DeliveryEvent } from "#domain/webhook-delivery/Event.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"

/** The time of the wall clock. */
const dateBy = (time: number | undefined, ahead = 0): string | null =>
  DateTime.formatNullable(time === undefined ? null : WallTime.dateBy(time, { ahead }))

const submitted = ({ ahead, deadlines, metadata, model, quote, webhook }: RequestSubmitted): JsonObject => ({
  modelEndpoint: model,
  metadata,
  hold: Money.format(quote.hold),
  webhook: webhook === undefined ? null : { url: webhook.url, events: webhook.events },
  startBy: dateBy(deadlines?.startBy, ahead),
  endBy: dateBy(deadlines?.endBy, ahead)
})

const upstreamOf = ({ upstream }: { readonly upstream?: UpstreamError }): JsonObject =>
  upstream === undefined ? {} : { upstream }

export const ofRequest = (event: RequestEvent): JsonObject => {
  switch (event._tag) {
    case "RequestSubmitted":
      return submitted(event)
    case "DispatchStarted":
    case "ProviderAccepted":
    case "RunTakenOver":
    case "RequestStarted":
      return { attempt: event.attempt }
    case "ProgressReported":
      return { attempt: event.attempt, fraction: event.fraction, logs: event.logs }
    case "OutputReceived":
      return {
        attempt: event.attempt,
        delivered: Money.formatQuantity(event.delivered),
        ...(event.cut === true && { cut: true })
      }
    case "MediaStored":
      return {
        attempt: event.attempt,
        media: event.media.map(({ contentType, fileId, path, size }) => ({ path, fileId, contentType, size }))
      }
    case "OutputRejected":
      return {
        attempt: event.attempt,
        violations: event.violations.map(({ instancePath, message }) => ({ instancePath, message }))
      }
    case "RequestCompleted": {
      const { amount, status, units } = event.billing
      return {
        attempt: event.attempt,
        billingStatus: status,
        cost: Money.format(amount),
        units: Money.formatQuantity(units),
        error: event.error,
        ...upstreamOf(event)
      }
    }
    case "RequestFailed":
      return { attempt: event.attempt, reason: event.reason, error: event.message, ...upstreamOf(event) }
    case "RequestForceFailed":
      return { attempt: event.attempt, retries: event.retries, error: event.message }
    case "SweepRetried":
      return {
        attempt: event.attempt,
        reason: event.reason,
        ...(event.host !== undefined && { host: event.host }),
        retry: event.retry,
        dueAt: DateTime.format(WallTime.dateBy(event.dueAt, event))
      }
    case "RequestRequeued":
      return {
        attempt: event.attempt,
        reason: event.reason,
        ...upstreamOf(event),
        dueAt: DateTime.format(WallTime.dateBy(event.dueAt, event))
      }
    case "RequestCancelled":
      return { reason: event.reason, ...(event.limit !== undefined && { limit: event.limit }) }
    case "PayloadsErased":
      return { reason: event.reason }
    case "LateOutcomeIgnored":
      return { attempt: event.attempt }
    case "CancelRequested":
    case "ErasedFilesRemoved":
      return {}
  }
}

export const ofDelivery = (deliveryId: DeliveryId, event: DeliveryEvent): JsonObject => {
  switch (event._tag) {
    case "DeliveryScheduled":
      return { deliveryId, event: event.event, url: event.url }
    case "AttemptStarted":
      return { deliveryId, attempt: event.attempt }
    case "AttemptSucceeded":
      return {
        deliveryId,
        attempt: event.attempt,
        responseStatus: event.responseStatus,
        durationMs: event.durationMs
      }
    case "AttemptFailed":
      return {
        deliveryId,
        attempt: event.attempt,
        responseStatus: event.responseStatus,
        durationMs: event.durationMs,
        error: event.error,
        nextAttemptAt: DateTime.formatNullable(event.nextAttemptAt)
      }
    case "AttemptLost":
      return {
        deliveryId,
        attempt: event.attempt,
        nextAttemptAt: DateTime.formatNullable(event.nextAttemptAt)
      }
    case "DeliveryFailed":
      return { deliveryId, reason: event.reason }
    case "ReplayRequested":
      return { deliveryId, trigger: event.recoveryId === undefined ? "replay" : "recover" }
    case "PayloadsErased":
      return { deliveryId }
  }
}
