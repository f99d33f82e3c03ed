/** How long the sweep retries a stuck request (contract, "States and transitions"). */

/** The request fails permanently when both limits are reached. This one counts retries. */
export const retriesBeforeForceFail = 5
/** Time since the submit, ms. */
export const ageBeforeForceFail = 6 * 60 * 60 * 1_000

const firstDelayMs = 60_000
const maxDelayMs = 60 * 60 * 1_000

/** Delay before retry number `retry` (from 1), ms: one minute, doubling up to an hour. */
export const delay = (retry: number): number => Math.min(firstDelayMs * 2 ** (retry - 1), maxDelayMs)

export const isGivenUp = (retries: number, ageMs: number): boolean =>
  retries >= retriesBeforeForceFail && ageMs > ageBeforeForceFail
