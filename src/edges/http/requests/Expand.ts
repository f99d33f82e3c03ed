/** The query parameter `expand`: comma-separated words, in one parameter or in several. */
import { Result } from "effect"
import * as Parsed from "./Parsed.ts"

/** @param words all that the route knows. Any other word is an issue. */
export const parse = <Word extends string>(
  words: ReadonlyArray<Word>,
  given: string | ReadonlyArray<string> | undefined
): Parsed.Parsed<ReadonlySet<Word>> => {
  const named = given === undefined ? [] : [given].flat().flatMap((text) => text.split(","))
  const found = words.filter((word) => named.includes(word))
  return named.every((word) => found.some((known) => known === word))
    ? Result.succeed(new Set(found))
    : Parsed.invalid(
        Parsed.issue(["expand"], "enum", `must be of ${words.join(", ")}, with commas between them`)
      )
}
