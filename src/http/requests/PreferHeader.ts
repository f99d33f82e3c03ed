/** `Prefer: wait` on submit (RFC 7240; decisions, "Sync wait"). Other preferences are ignored. */
import { Result } from "effect"
import { invalid, issue, type Parsed } from "./Parsed.ts"

const maxSeconds = 60

/** How long the answer may wait for the end of the request, in ms; `null` when that is not asked for. */
export const parse = (prefer: string | undefined): Parsed<number | null> => {
  for (const preference of (prefer ?? "").split(",")) {
    const [name = "", ...rest] = (preference.split(";", 1)[0] ?? "").split("=")
    if (name.trim().toLowerCase() !== "wait") continue
    if (rest.length === 0) return Result.succeed(maxSeconds * 1000)
    const value = rest.join("=").trim().replaceAll('"', "")
    const isInRange = /^\d{1,2}$/.test(value) && Number(value) >= 1 && Number(value) <= maxSeconds
    return isInRange
      ? Result.succeed(Number(value) * 1000)
      : invalid(issue(["Prefer"], "range", `wait must be whole seconds from 1 to ${maxSeconds}`))
  }
  return Result.succeed(null)
}
