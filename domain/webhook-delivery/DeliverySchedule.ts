/** When a failed attempt is retried, without jitter (contract, "Success and retry rules", 3). */

/** Delays after the first, second, … failed attempt, ms. */
export const delays: ReadonlyArray<number> = [5, 30, 120, 300, 600, 1_200, 1_800, 2_700, 3_600].map(
  (seconds) => seconds * 1_000
)

/** Attempts of one schedule. A replay starts a new schedule. */
export const attempts = delays.length + 1

/** Timeout of an attempt, including name resolution and the response, ms (contract, "Limits"). */
export const attemptTimeoutMs = 15_000

/** When the next attempt is due after `failed` failed attempts of a schedule; `null` when none is left. Unix times in ms. */
export const nextAttemptAt = (failed: number, failedAt: number): number | null => {
  const delay = delays[failed - 1]
  return delay === undefined ? null : failedAt + delay
}
