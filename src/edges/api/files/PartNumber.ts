/** The query parameter `partNumber` (contract, "Uploads"). */
import { Result } from "effect"
import { maxParts } from "#src/features/media/storage/FileLimits.ts"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"

export const parse = (text: string): Parsed<number> => {
  const number = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.NaN
  return number <= maxParts
    ? Result.succeed(number)
    : invalid(issue(["partNumber"], "range", `must be a whole number from 1 to ${maxParts}`))
}
