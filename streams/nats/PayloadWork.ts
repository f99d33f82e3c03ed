/** The work on payload records around an append: storing new records and erasing others. */
import { Effect } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { Append } from "../EventStore.ts"
import type { RecordsOf, AppendRecords } from "./AppendRecords.ts"
import type { Erasures } from "./Erasures.ts"
import type { Fences, Outcome } from "./Fences.ts"

export interface PayloadWorkParts {
  readonly recordsOf: RecordsOf
  readonly erasures: Erasures
  readonly fences: Fences
}

/**
 * Does the work before the append, and returns the work for when its fate is known. A failure leaves nothing behind.
 *
 * @param id unique id of the append.
 */
export type PayloadWork = (append: Append, id: string) => Effect.Effect<Outcome, EventStoreError>

const nothing: Outcome = { onStored: Effect.void, onAbsent: Effect.void }

export const make = ({ recordsOf, erasures, fences }: PayloadWorkParts): PayloadWork => {
  const withdraw = ({ stream }: Append, records: AppendRecords) =>
    Effect.catch(records.withdraw, () => fences.retryInBackground(stream, records.withdraw))

  const putRecords = Effect.fnUntraced(function* (append: Append, id: string) {
    const { erases = [], payloads = [], stream } = append
    const stored = payloads.filter(({ name }) => !erases.includes(name))
    const records = recordsOf(stream, id, stored)
    yield* Effect.tapError(records.put, () => fences.retryInBackground(stream, records.withdraw))
    return stored.length === 0 ? Effect.void : withdraw(append, records)
  })

  const both = Effect.fnUntraced(function* (append: Append, id: string) {
    const { erases = [], stream } = append
    const withdraw = yield* putRecords(append, id)
    if (erases.length === 0) return { ...nothing, onAbsent: withdraw }
    const { drop, finish } = yield* Effect.tapError(erasures.note(stream, erases), () => withdraw)
    return { onStored: finish, onAbsent: Effect.andThen(withdraw, drop) }
  })

  return (append, id) => {
    const { erases = [], payloads = [] } = append
    return erases.length + payloads.length === 0 ? Effect.succeed(nothing) : both(append, id)
  }
}
