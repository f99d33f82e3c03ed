/** What all runs of this node work with. */
import { Clock, Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { State } from "#domain/inference-request/State.ts"
import { LiveRuns } from "#src/features/live-output/LiveRuns.ts"
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
  /**
   * Lets another node run the request, unless its provider has a job of it, and passes on what is left to do. What fails is
   * left to the sweep.
   */
  readonly giveBack: (id: RequestId, attempt: number, onEnd: (rest: Effect.Effect<void>) => void) => void
  /** Unix time in ms, on the steady clock. */
  readonly now: () => number
}

const hasJob = (state: State): boolean =>
  state._tag === "Request" && "run" in state.phase && state.phase.run.jobId !== null

export const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const steady = yield* SteadyTime
  const actors = yield* RequestActors
  const { send: record } = yield* OutcomeRecord.make

  const now = () => steady.nowOf(clock)
  const release = (attempt: number) => ({ _tag: "Release", at: now(), attempt }) as const

  const readAndGiveBack = Effect.fnUntraced(
    function* (id: RequestId, attempt: number) {
      const { state } = yield* actors.current(id)
      if (!hasJob(state)) yield* actors.execute(id, release(attempt))
    },
    (effect) => Effect.ignore(effect)
  )

  /** A stopping node may give back thousands of runs, so those in memory take no fiber. */
  const giveBack: RunParts["giveBack"] = (id, attempt, onEnd) => {
    const known = actors.peek(id)
    if (known === undefined) return onEnd(readAndGiveBack(id, attempt))
    if (hasJob(known.state)) return onEnd(Effect.void)
    actors.send(id, release(attempt), [], () => onEnd(Effect.void))
  }

  const parts: RunParts = {
    actors,
    clock,
    outputs: yield* LiveRuns,
    steady,
    deadlines: yield* Deadlines.make,
    fork: yield* RunFibers.make,
    providers: yield* Providers,
    memory: yield* InputMemory,
    prepare: yield* Preparing.make,
    record,
    giveBack,
    now
  }
  return parts
})
