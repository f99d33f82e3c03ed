/**
 * When the download of an output's file from a host that cannot be reached is retried. For faults of the server's own storage, see
 * `SweepSchedule`.
 */

/** Delays before each retry, ms. The sweep retries up to a minute later. */
const delays: ReadonlyArray<number> = [60_000, 120_000, 240_000]

/**
 * Delay before the next try, ms; `null` when none is left.
 *
 * @param tries the number of retries so far.
 */
export const delay = (tries: number): number | null => delays[tries] ?? null
