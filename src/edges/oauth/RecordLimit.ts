/** Limits how many records of a kind are stored. When there are too many, those that expire first are removed. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Records } from "./Records.ts"

/** Run before each record is stored. Removes a hundredth at a time: counting records takes longer than storing one. */
export const make = (
  records: Records["Service"],
  { model, most }: { readonly model: string; readonly most: number }
): Effect.Effect<void, SqlError> => {
  const batch = Math.ceil(most / 100)
  /** Records that may be stored before the next count. */
  let free = 0

  const count = Effect.gen(function* () {
    const stored = yield* records.count(model)
    const excess = Math.max(0, stored - most + batch)
    if (excess > 0) yield* records.removeFirst(model, excess)
    free = most - stored + excess
  })

  return Effect.suspend(() => (free > 0 ? Effect.void : count)).pipe(
    Effect.andThen(Effect.sync(() => void free--))
  )
}
