/** Error answers to workers' calls (docs/operators/workers.md). */
import { busy, coded, notFound, ErrorAnswer } from "./ErrorAnswer.ts"

export const unauthorized = new ErrorAnswer({
  status: 401,
  error: "A valid worker key is required: Authorization: Key <WORKER_KEY>.",
  headers: { "www-authenticate": "Key" }
})

export const modelNotForWorker = coded(403, "MODEL_NOT_GRANTED", "This worker key is not for the model.")

export const unknownLease = notFound("Lease")

export const leaseLost = coded(409, "LEASE_LOST", "The job is no longer the worker's: stop working on it.")

export const tooManyWaiting = new ErrorAnswer({
  status: 429,
  error: "Too many workers wait with this key.",
  details: { code: "RATE_LIMITED", retryAfter: 5, scope: "key" },
  headers: { "retry-after": "5" }
})

export const leaseUnattended = busy("The lease is being taken up again: repeat the call.", 1)
