/** `Prefer: wait` on submit (RFC 7240; decisions, "Sync wait"). Other preferences are ignored. */
import { Result } from "effect"
import type { Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as WaitSeconds from "./WaitSeconds.ts"

/** How long the answer may wait for the end of the request, in ms; `null` without the preference. */
export const parse = (prefer: string | undefined): Parsed<number | null> => {
  for (const preference of (prefer ?? "").split(",")) {
    const [name = "", ...rest] = (preference.split(";", 1)[0] ?? "").split("=")
    if (name.trim().toLowerCase() !== "wait") continue
    if (rest.length === 0) return Result.succeed(WaitSeconds.maxSeconds * 1000)
    const value = rest.join("=").trim().replaceAll('"', "")
    return WaitSeconds.parse(value, { name: "Prefer", minSeconds: 1 })
  }
  return Result.succeed(null)
}
