/** The query parameter `wait`: how long an answer may be held (decisions, "Polling load", "Sync wait"). */
import { Result } from "effect"
import type { Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as WaitSeconds from "./WaitSeconds.ts"

/** Milliseconds; 0 without the parameter. `minSeconds` is 1 on submit, as for `Prefer`. */
export const parse = (wait: string | undefined, minSeconds: 0 | 1): Parsed<number> =>
  wait === undefined ? Result.succeed(0) : WaitSeconds.parse(wait, { name: "wait", minSeconds })
