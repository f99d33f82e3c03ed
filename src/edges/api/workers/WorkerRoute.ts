/** What the routes of workers have in common. */
import { Schema } from "effect"
import type { Worker } from "#src/features/providers/workers/WorkerAuthentication.ts"
import type { OfLease } from "#src/features/providers/workers/WorkerCalls.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"

export const errors = [
  CommonResponses.badRequest,
  CommonResponses.timeout,
  CommonResponses.tooLarge,
  CommonResponses.unsupported,
  CommonResponses.notFound,
  CommonResponses.unexpected,
  CommonResponses.unavailable
] as const

export const errorsOfLease = [...errors, CommonResponses.conflict] as const

export const params = {
  leaseId: Schema.String.annotate({ description: "The lease that came with the job." })
}

export const leaseOf = (params: { readonly leaseId: string }, worker: Worker): OfLease => ({
  worker,
  leaseId: params.leaseId
})

/** An error or a reason, as text. */
export const Message = Schema.String.check(Schema.isMaxLength(10_000))
