/** Runs that workers returned or never received. They cost no try, but each return makes the request wait longer. */
import type { RequestId } from "#domain/Ids.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"

type PutOff = Extract<ProviderOutcome, { readonly _tag: "RateLimited" }>

/** No worker was there for it. */
export const atOnce: PutOff = { _tag: "RateLimited", retryAfterMs: 0 }

/** The delay after the second time, ms; doubled each further time. */
const firstDelayMs = 500
const longestDelayMs = 30_000

/** Requests whose counts are stored. */
const rememberedRequests = 10_000

export interface HandedBack {
  /** Counts one more time. */
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
