/** When an attempt that failed is made again (contract, "Success and retry rules", 3): exactly then, without jitter. */

/** Delays in ms after the first, the second, … failed attempt. */
export const delays: ReadonlyArray<number> = [5, 30, 120, 300, 600, 1_200, 1_800, 2_700, 3_600].map(
  (seconds) => seconds * 1_000
)

/** Attempts of one schedule. A replay begins a fresh one. */
export const attempts = delays.length + 1

/** An attempt ends after so many ms at the latest, name resolution and response included (contract, "Limits"). */
export const attemptTimeoutMs = 15_000

/** When the attempt after `failed` attempts of a schedule is due; `null` when there are no more. All in Unix time, ms. */
export const nextAttemptAt = (failed: number, failedAt: number): number | null => {
  const delay = delays[failed - 1]
  return delay === undefined ? null : failedAt + delay
}
