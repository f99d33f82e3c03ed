/** Memory for the inputs of runs, taken before their claim. A request without room waits while other accounts run. */
import { Effect, type Scope } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import type { QueuedRequest } from "#projections/due-work/DueWork.ts"
import { InputMemory } from "#src/kernel/memory/InputMemory.ts"
import * as InputWeight from "#src/kernel/memory/InputWeight.ts"
import * as MemoryBudget from "#src/kernel/limits/MemoryBudget.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"

/** States of requests read from the log at the same time. */
const concurrency = 64

export interface Admitted {
  readonly row: QueuedRequest
  /** Released by the run. `null` for a request that cannot be read; claiming it reports that. */
  readonly memory: MemoryBudget.Lease | null
}

export interface RunMemory {
  /** The rows with room. The accounts of the others count as full until a run releases memory. */
  readonly admit: (rows: ReadonlyArray<QueuedRequest>) => Effect.Effect<ReadonlyArray<Admitted>>
  readonly isFull: (account: AccountId) => boolean
  /** Accounts that are full. */
  readonly count: () => number
}

/** `onRoom` is called when full accounts may have room. */
export const make = (onRoom: () => void): Effect.Effect<RunMemory, never, RequestActors | Scope.Scope> =>
  Effect.gen(function* () {
    const actors = yield* RequestActors
    const { runs } = yield* InputMemory
    const full = new Set<AccountId>()

    const stopListening = runs.onRelease(() => {
      if (full.size === 0) return
      full.clear()
      onRoom()
    })
    yield* Effect.addFinalizer(() => Effect.sync(stopListening))

    /** Brings the requests into memory. What cannot be read stays away. */
    const load = (rows: ReadonlyArray<QueuedRequest>) =>
      Effect.forEach(rows, ({ requestId }) => Effect.ignoreCause(actors.current(requestId)), {
        concurrency,
        discard: true
      })

    const admit: RunMemory["admit"] = Effect.fnUntraced(function* (rows) {
      const away = rows.filter(({ requestId }) => actors.peek(requestId) === undefined)
      if (away.length > 0) yield* load(away)
      return rows.flatMap((row): ReadonlyArray<Admitted> => {
        const state = actors.peek(row.requestId)?.state
        if (state?._tag !== "Request") return [{ row, memory: null }]
        const { accountId } = row
        if (full.has(accountId)) return []
        const memory = runs.take(accountId, InputWeight.ofRequest(state))
        if (!MemoryBudget.isFull(memory)) return [{ row, memory }]
        full.add(accountId)
        return []
      })
    })

    return { admit, isFull: (account) => full.has(account), count: () => full.size }
  })
