/** Limits how often a request may be running when its node crashes, because the request may be the cause. */

/** The crash in a row at which the request fails. */
export const maxInARow = 3

export const message = `The server crashed ${maxInARow} times in a row while it ran the request.`

/** Whether a request that was running at `crashes` crashes in a row fails at the next one. */
export const isLastChance = (crashes: number): boolean => crashes >= maxInARow - 1
