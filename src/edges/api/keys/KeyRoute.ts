/** What the routes of keys have in common. */
import { Schema } from "effect"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"

export const errors = [
  CommonResponses.badRequest,
  CommonResponses.unexpected,
  CommonResponses.unavailable
] as const

export const errorsOfOneKey = [...errors, CommonResponses.notFound] as const

export const errorsOfBodies = [
  CommonResponses.timeout,
  CommonResponses.tooLarge,
  CommonResponses.unsupported
] as const

export const params = {
  keyId: Schema.String.annotate({ description: "The part of the key before the colon." })
}
