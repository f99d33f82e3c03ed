/**
 * The remaining calls of a limit, in header fields of every answer that the limit applies to: `RateLimit-Policy` and
 * `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11, which are lists of RFC 9651.
 */
import type { RateState } from "#src/features/accounts/RateLimits.ts"

/** The rates of the caller, or those that all calls of this node share. */
export interface Left extends Omit<RateState, "scope"> {
  readonly scope: RateState["scope"] | "node"
}

export type Fields = Readonly<Record<"ratelimit-policy" | "ratelimit", string>>

const policy = ({ rate, scope }: Left): string => `"${scope}";q=${rate.requests};w=${rate.windowSeconds}`

/**
 * `t` is the time in which the remaining calls can be made at an even pace, so that no client reads a higher rate out
 * of `r` and `t` than it has in the long run (section 8.5). When no call remains, it is the wait for the next one.
 */
const state = ({ nextInSeconds, rate, remaining, scope }: Left): string => {
  const spread = Math.ceil((remaining * rate.windowSeconds) / rate.requests)
  return `"${scope}";r=${remaining};t=${remaining === 0 ? nextInSeconds : spread}`
}

export const ofRates = (standings: ReadonlyArray<Left>): Fields => ({
  "ratelimit-policy": standings.map(policy).join(", "),
  ratelimit: standings.map(state).join(", ")
})

/** For a limit on requests that run at the same time, when it is reached. */
export const ofFull = (name: string, most: number, retryAfterSeconds: number): Fields => ({
  "ratelimit-policy": `"${name}";q=${most};qu="concurrent-requests"`,
  ratelimit: `"${name}";r=0;t=${retryAfterSeconds}`
})
