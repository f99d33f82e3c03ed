/** A length of time, such as `350 ms`, `1.2 s`, `3 min 20 s`. */
import classes from "./Data.module.css"

/** @param ms at least 0. */
export const durationText = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const seconds = Math.round(ms / 1_000)
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60
  ]
  if (days > 0) return `${days} d ${hours} h`
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`
}

/** `null`: not known (yet). */
export const Duration = ({ ms }: { readonly ms: number | null }) => (
  <span className={classes["figure"]}>{ms === null ? "–" : durationText(ms)}</span>
)
