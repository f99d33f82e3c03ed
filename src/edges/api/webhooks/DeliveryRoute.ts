/** What the routes of webhook deliveries have in common. */
import { Schema } from "effect"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"

export const errors = [
  CommonResponses.badRequest,
  CommonResponses.unexpected,
  CommonResponses.unavailable
] as const

export const errorsOfOneDelivery = [...errors, CommonResponses.notFound] as const

export const errorsOfBodies = [
  ...errors,
  CommonResponses.timeout,
  CommonResponses.tooLarge,
  CommonResponses.unsupported
] as const

export const params = {
  deliveryId: Schema.String.annotate({ description: "The `webhook-id` that receivers get." })
}
