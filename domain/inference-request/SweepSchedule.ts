/** How long the sweep goes on with a request that does not come to its end (contract, "States and transitions"). */

/** Both must be reached before a request is failed for good. */
export const retriesBeforeForceFail = 5
/** ms since the submit. */
export const ageBeforeForceFail = 6 * 60 * 60 * 1_000

const firstDelayMs = 60_000
const longestDelayMs = 60 * 60 * 1_000

/** Delay in ms before retry `retry`, the first is 1: from a minute on twice as long each time, up to an hour. */
export const delay = (retry: number): number => Math.min(firstDelayMs * 2 ** (retry - 1), longestDelayMs)

export const isGivenUp = (retries: number, ageMs: number): boolean =>
  retries >= retriesBeforeForceFail && ageMs > ageBeforeForceFail
