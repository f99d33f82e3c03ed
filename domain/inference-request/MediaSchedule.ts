/**
 * When the download of an output's file from its host is retried. For faults of the server's own storage, see
 * `SweepSchedule`.
 */

/** `not_given`: the host answers without the file. `unreachable`: the host cannot be reached now and may have the file. */
export type HostError = "not_given" | "unreachable"

/**
 * Delays before each retry, ms. The sweep retries up to a minute later. A content delivery network may have a file moments
 * after its URL exists.
 */
const delays: Readonly<Record<HostError, ReadonlyArray<number>>> = {
  not_given: [2_000, 8_000],
  unreachable: [60_000, 120_000, 240_000]
}

/**
 * Delay before the next try, ms; `null` when none is left.
 *
 * @param tries the number of retries so far, for either fault.
 */
export const delay = (fault: HostError, tries: number): number | null => delays[fault][tries] ?? null
