/** A time in the reader's zone, with the exact UTC on hover and for screen readers. */
import { useEffect, useReducer } from "react"
import classes from "./Data.module.css"

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
const short = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit"
})
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" })

const units = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
  ["month", 12],
  ["year", Infinity]
] as const

/** As "3 min ago". @param ms from now; negative: ago. */
const ago = (ms: number): string => {
  let count = ms / 1_000
  for (const [unit, next] of units) {
    if (Math.abs(count) < next) return relative.format(Math.round(count), unit)
    count /= next
  }
  return ""
}

/** How often a relative time is shown anew, ms. */
const tickMs = 10_000

export const Time = ({
  at,
  form = "short"
}: {
  /** ISO 8601, or Unix time in ms. */
  readonly at: string | number
  readonly form?: "short" | "exact" | "relative"
}) => {
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    if (form !== "relative") return
    const timer = setInterval(tick, tickMs)
    return () => clearInterval(timer)
  }, [form])
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <>–</>
  const utc = date.toISOString()
  const shown =
    form === "relative"
      ? ago(date.getTime() - Date.now())
      : form === "exact"
        ? exact.format(date)
        : short.format(date)
  return (
    <time
      className={classes["figure"]}
      dateTime={utc}
      title={`${utc.replace("T", " ").replace("Z", "")} UTC`}
    >
      {shown}
    </time>
  )
}
