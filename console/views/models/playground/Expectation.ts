/** What a run will cost and how long it will take, in words. */

interface Expected {
  readonly p50Seconds: number | null
  readonly p90Seconds: number | null
  readonly waitSeconds: number | null
}

export interface Estimate {
  /** Decimal text, USD. */
  readonly estimatedCost: string
  readonly isMaximum: boolean
  readonly expectedSeconds: number
  readonly expected: Expected | null
}

/** At most four digits that say something, as `$0.0012`. @param amount a decimal text in USD. */
const roughMoney = (amount: string): string => {
  const [whole = "0", fraction = ""] = amount.split(".")
  if (/[1-9]/.test(whole)) return `$${whole}.${fraction.padEnd(2, "0").slice(0, 2)}`
  const first = fraction.search(/[1-9]/)
  if (first === -1) return "$0.00"
  const kept = fraction.slice(0, Math.max(first + 3, 2)).replace(/0+$/, "")
  return `$0.${kept.padEnd(2, "0")}`
}

/** The words of the button. */
export const runLabel = (estimate: Estimate | null): string => {
  if (estimate === null) return "Run"
  const money = roughMoney(estimate.estimatedCost)
  if (money === "$0.00") return "Run · free"
  return `Run · ${estimate.isMaximum ? "at most" : "about"} ${money}`
}

const roughSeconds = (seconds: number): string => {
  if (seconds < 1) return "under 1 s"
  if (seconds < 90) return `${Math.round(seconds)} s`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

/** As "Usually done in 4 s." and what a run would wait for; `null` when nothing can run it now. */
export const waitText = ({
  expected,
  expectedSeconds
}: Pick<Estimate, "expected" | "expectedSeconds">): string => {
  if (expected !== null && expected.waitSeconds === null)
    return "No run can begin now: it will wait until one can."
  const run = `Usually takes ${roughSeconds(expected?.p50Seconds ?? expectedSeconds)}`
  const wait = expected?.waitSeconds ?? 0
  return wait < 1 ? `${run}, and starts at once.` : `${run}, after a wait of about ${roughSeconds(wait)}.`
}

/** As "about 2 s". */
export const durationText = ({
  expected,
  expectedSeconds
}: Pick<Estimate, "expected" | "expectedSeconds">): string => {
  const text = roughSeconds(expected?.p50Seconds ?? expectedSeconds)
  return text.startsWith("under") ? text : `about ${text}`
}
