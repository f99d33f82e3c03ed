/** Query parameters that a route does not have: a filter with a typing mistake must not be a filter that lets all through. */
import { invalid } from "../Refusal.ts"
import type { Refusal } from "../Refusal.ts"

/** The only text of a client that an error repeats, so it is short and plain. */
const shown = (name: string): string => name.replace(/[^ -~]/g, "?").slice(0, 64)

const mostNames = 20

/** Names each of them, up to some; `null` when there are none. */
export const refusalOf = (
  query: Readonly<Record<string, unknown>>,
  isDeclared: (name: string) => boolean
): Refusal | null => {
  // `?&=` names nothing.
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
