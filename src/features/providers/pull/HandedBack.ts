/**
 * Runs that workers hand back, or never got: no failures, so no tries are counted. A request that comes back again and again
 * waits longer each time, or it would go round for ever with the worker that will not have it.
 */
import type { RequestId } from "#domain/Ids.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"

type PutOff = Extract<ProviderOutcome, { readonly _tag: "RateLimited" }>

/** Nobody was there who could have it. */
export const atOnce: PutOff = { _tag: "RateLimited", retryAfterMs: 0 }

/** Of the second time; doubled with each one more, ms. */
const firstDelayMs = 500
const longestDelayMs = 30_000

/** Requests of which the times are remembered. */
const rememberedRequests = 10_000

export interface HandedBack {
  /** One time more. */
  readonly again: (requestId: RequestId) => PutOff
}

export const make = (): HandedBack => {
  const times = RecentlyUsed.make<number>({ capacity: rememberedRequests })
  return {
    again: (requestId) => {
      const before = times.get(requestId) ?? 0
      times.set(requestId, before + 1)
      if (before === 0) return atOnce
      return { ...atOnce, retryAfterMs: Math.min(firstDelayMs * 2 ** (before - 1), longestDelayMs) }
    }
  }
}
