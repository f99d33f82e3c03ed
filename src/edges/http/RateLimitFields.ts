/**
 * What is left of a limit, as fields that each answer under it carries, so that clients pace themselves: `RateLimit-Policy`
 * and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11, lists of RFC 9651.
 */
import type { RateState } from "#src/features/accounts/RateLimits.ts"

/** Of a call's own rates, or of those that all calls of this node share. */
export interface Left extends Omit<RateState, "scope"> {
  readonly scope: RateState["scope"] | "node"
}

export type Fields = Readonly<Record<"ratelimit-policy" | "ratelimit", string>>

const policy = ({ rate, scope }: Left): string => `"${scope}";q=${rate.requests};w=${rate.windowSeconds}`

/**
 * `t` is what the calls that are left last when they are spread as the rate brings new ones: no client is to read more out of
 * `r` and `t` than the rate allows for long (section 8.5). When none is left it is the wait for the next.
 */
const state = ({ nextInSeconds, rate, remaining, scope }: Left): string => {
  const spread = Math.ceil((remaining * rate.windowSeconds) / rate.requests)
  return `"${scope}";r=${remaining};t=${remaining === 0 ? nextInSeconds : spread}`
}

export const ofRates = (standings: ReadonlyArray<Left>): Fields => ({
  "ratelimit-policy": standings.map(policy).join(", "),
  ratelimit: standings.map(state).join(", ")
})

/** Of a number of requests that may not be over at once, and are there. */
export const ofFull = (name: string, most: number, retryAfterSeconds: number): Fields => ({
  "ratelimit-policy": `"${name}";q=${most};qu="concurrent-requests"`,
  ratelimit: `"${name}";r=0;t=${retryAfterSeconds}`
})
