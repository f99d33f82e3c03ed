/** Refuses query parameters that a route does not have: a misspelled filter must not return everything. */
import { invalid } from "../ErrorAnswer.ts"
import type { ErrorAnswer } from "../ErrorAnswer.ts"

/** The only client text that an error repeats, so it is cut to short ASCII. */
const shown = (name: string): string => name.replace(/[^ -~]/g, "?").slice(0, 64)

const mostNames = 20

/** Names each of them, up to a limit; `null` without any. */
export const errorAnswerOf = (
  query: Readonly<Record<string, unknown>>,
  isDeclared: (name: string) => boolean
): ErrorAnswer | null => {
  // `?&=` has an empty name.
  const undeclared = Object.keys(query).filter((name) => name !== "" && !isDeclared(name))
  if (undeclared.length === 0) return null
  return invalid(
    undeclared.slice(0, mostNames).map((name) => ({
      path: [shown(name)],
      code: "unknown",
      message: "is not a query parameter of this route"
    }))
  )
}
