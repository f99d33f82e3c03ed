/** Requests whose runs were under way when their nodes crashed: one of them may be what the nodes crash on. */

/** The request is failed at this crash. */
export const mostInARow = 3

export const message = `The server crashed ${mostInARow} times in a row while it ran the request.`

/** Whether a request that was under way at so many crashes in a row fails at the next one. */
export const isLastChance = (crashes: number): boolean => crashes >= mostInARow - 1
