/** An event of the log, as a line of `GET /admin/v1/log/events`. */
import type { Link } from "./Chain.ts"

export interface LogEvent extends Link {
  readonly position: string
}

/** Quotes within texts are escaped, so nothing before the data has it. */
const beforeData = ',"data":'

/** Keeps the data as text, because the hash covers its bytes. */
export const ofLine = (line: string): LogEvent => {
  const at = line.indexOf(beforeData)
  const head = JSON.parse(`${line.slice(0, at)}}`) as Omit<LogEvent, "text">
  return { ...head, text: line.slice(at + beforeData.length, -1) }
}

/** Positions are `<number>` or `<number>.<number>`, and too large for numbers of JavaScript. */
export const isAfter = (position: string, other: string): boolean => {
  const [main = "0", part = "0"] = position.split(".")
  const [otherMain = "0", otherPart = "0"] = other.split(".")
  return main === otherMain ? BigInt(part) > BigInt(otherPart) : BigInt(main) > BigInt(otherMain)
}

export const isPosition = (text: string): boolean => /^\d{1,19}(\.\d{1,9})?$/.test(text)
