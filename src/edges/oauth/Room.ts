/** Room for one more of what anybody may begin: of the most that is kept of a kind, what would end first goes. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Records } from "./Records.ts"

/**
 * For each one before it is kept. A hundredth goes at a time, so that they are counted seldom: to count them takes longer than
 * to keep one.
 */
export const make = (
  records: Records["Service"],
  { model, most }: { readonly model: string; readonly most: number }
): Effect.Effect<void, SqlError> => {
  const batch = Math.ceil(most / 100)
  /** So many more may be kept before they are counted again. */
  let free = 0

  const count = Effect.gen(function* () {
    const kept = yield* records.count(model)
    const excess = Math.max(0, kept - most + batch)
    if (excess > 0) yield* records.removeFirst({ model, count: excess })
    free = most - kept + excess
  })

  return Effect.suspend(() => (free > 0 ? Effect.void : count)).pipe(
    Effect.andThen(Effect.sync(() => void free--))
  )
}
