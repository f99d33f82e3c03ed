/** What all runs of this node work with. */
import { Clock, Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { type Budgets, InputMemory } from "#src/kernel/memory/InputMemory.ts"
import * as Deadlines from "#src/kernel/time/Deadlines.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as OutcomeRecord from "./OutcomeRecord.ts"
import * as Preparing from "./Preparing.ts"
import * as RunFibers from "./RunFibers.ts"
import type { Reporting } from "./RunReport.ts"

export interface RunParts extends Reporting {
  readonly providers: Providers["Service"]
  readonly memory: Budgets
  readonly prepare: Effect.Success<typeof Preparing.make>
  readonly record: Effect.Success<typeof OutcomeRecord.make>["send"]
  /** Lets another node run the request, unless its provider has a job of it. What fails is left to the sweep. */
  readonly giveBack: (id: RequestId, attempt: number) => Effect.Effect<void>
  /** Unix time in ms, on the steady clock. */
  readonly now: () => number
}

export const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const steady = yield* SteadyTime
  const actors = yield* RequestActors
  const { send: record } = yield* OutcomeRecord.make

  const giveBack = Effect.fnUntraced(
    function* (id: RequestId, attempt: number) {
      const { state } = yield* actors.current(id)
      if (state._tag === "Request" && "run" in state.phase && state.phase.run.jobId !== null) return
      yield* actors.execute(id, { _tag: "Release", at: yield* steady.now, attempt })
    },
    (effect) => Effect.ignore(effect)
  )

  const parts: RunParts = {
    actors,
    clock,
    steady,
    deadlines: yield* Deadlines.make,
    fork: yield* RunFibers.make,
    providers: yield* Providers,
    memory: yield* InputMemory,
    prepare: yield* Preparing.make,
    record,
    giveBack,
    now: () => steady.nowOf(clock)
  }
  return parts
})
