/** What an append has beside its message: payload records that it brings, and such that it erases. */
import { Effect } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { Append } from "../EventStore.ts"
import type { Bring, BroughtRecords } from "./BroughtRecords.ts"
import type { Erasures } from "./Erasures.ts"
import type { Fences, Outcome } from "./Fences.ts"

export interface BesideParts {
  readonly bring: Bring
  readonly erasures: Erasures
  readonly fences: Fences
}

/**
 * Does what comes before the append, and tells what is to be done when its fate is known. Where it fails nothing is left.
 * @param id unique, of the append.
 */
export type Beside = (append: Append, id: string) => Effect.Effect<Outcome, EventStoreError>

const nothing: Outcome = { onStored: Effect.void, onAbsent: Effect.void }

export const make = ({ bring, erasures, fences }: BesideParts): Beside => {
  const takeBack = ({ stream }: Append, brought: BroughtRecords) =>
    Effect.catch(brought.takeBack, () => fences.insist(stream, brought.takeBack))

  const putRecords = Effect.fnUntraced(function* (append: Append, id: string) {
    const { erases = [], payloads = [], stream } = append
    const kept = payloads.filter(({ name }) => !erases.includes(name))
    const brought = bring(stream, id, kept)
    yield* Effect.tapError(brought.put, () => fences.insist(stream, brought.takeBack))
    return kept.length === 0 ? Effect.void : takeBack(append, brought)
  })

  const both = Effect.fnUntraced(function* (append: Append, id: string) {
    const { erases = [], stream } = append
    const takeBack = yield* putRecords(append, id)
    if (erases.length === 0) return { ...nothing, onAbsent: takeBack }
    const { drop, finish } = yield* Effect.tapError(erasures.note(stream, erases), () => takeBack)
    return { onStored: finish, onAbsent: Effect.andThen(takeBack, drop) }
  })

  return (append, id) => {
    const { erases = [], payloads = [] } = append
    return erases.length + payloads.length === 0 ? Effect.succeed(nothing) : both(append, id)
  }
}
