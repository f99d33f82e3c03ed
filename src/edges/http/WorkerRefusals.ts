/** Why a worker's call is refused (docs/operators/workers.md). */
import { Refusal } from "./Refusal.ts"

export const unauthorized = new Refusal({
  status: 401,
  error: "A valid worker key is required: Authorization: Key <WORKER_KEY>.",
  headers: { "www-authenticate": "Key" }
})

export const modelNotForWorker = new Refusal({
  status: 403,
  error: "This worker key is not for the model.",
  details: { code: "MODEL_NOT_GRANTED" }
})

export const unknownLease = new Refusal({ status: 404, error: "Lease not found." })

export const leaseLost = new Refusal({
  status: 409,
  error: "The job is no longer the worker's: stop working on it.",
  details: { code: "LEASE_LOST" }
})

export const tooManyWaiting = new Refusal({
  status: 429,
  error: "Too many workers wait with this key.",
  details: { code: "RATE_LIMITED", retryAfter: 5, scope: "key" },
  headers: { "retry-after": "5" }
})

export const leaseUnattended = new Refusal({
  status: 503,
  error: "The lease is being taken up again: repeat the call.",
  headers: { "retry-after": "1" }
})
