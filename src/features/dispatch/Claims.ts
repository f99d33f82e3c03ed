/**
 * Claims requests and begins their runs. A claim is an event with an expected version and reads the request itself, so stale
 * rows and duplicates are harmless. The claims of a pass are one synchronous loop, and one commit.
 */
import { type Cause, Effect, Exit } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { Rejection } from "#domain/inference-request/Command.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import type * as UnreadableRequests from "#src/platform/reactors/UnreadableRequests.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as ProviderSlots from "./ProviderSlots.ts"
import * as RunFibers from "./RunFibers.ts"
import type * as RunMemory from "./RunMemory.ts"
import { Runs } from "./Runs.ts"
import type * as SlowStart from "./SlowStart.ts"

export interface ClaimsOptions {
  readonly slowStart: SlowStart.SlowStart
  readonly unreadable: UnreadableRequests.Unreadable
  /** Called when a run of the model has ended at the provider. */
  readonly onEnd: (endpoint: string, provider: string) => void
  /** Asks for a pass, because a run that was on trial has ended. */
  readonly wake: () => void
}

export const make = Effect.fnUntraced(function* ({ onEnd, slowStart, unreadable, wake }: ClaimsOptions) {
  const actors = yield* RequestActors
  const steady = yield* SteadyTime
  const runs = yield* Runs
  const node = yield* Nodes
  const fork = yield* RunFibers.make

  const notClaimed = (
    id: RequestId,
    cause: Cause.Cause<EventStoreError | Rejection>
  ): Effect.Effect<unknown, EventStoreError> =>
    Effect.failCause(cause).pipe(
      // Another node may know more: a stale state here must not refuse the same row again and again.
      Effect.catchTag(["NotDispatchable", "RequestNotFound", "RequestNotEnded"], () => actors.refresh(id)),
      unreadable.orElse<unknown>(id, null)
    )

  /** Takes a slot for the row, and what is to be done when it is released. */
  const take = (
    endpoint: string,
    { memory, row }: RunMemory.Admitted,
    { begin, provider }: ProviderSlots.Slot,
    monotonicNow: number
  ) => {
    const ended = () => onEnd(endpoint, provider)
    const passed = slowStart.begin(row, monotonicNow)
    const endTrial = () => {
      ended()
      passed()
      wake()
    }
    return runs.take({
      about: { id: row.requestId },
      endpoint,
      provider,
      watch: begin(),
      memory,
      onEnd: row.crashes === 0 ? ended : endTrial
    })
  }

  /** Claims each row and begins its run. Returns when all claims are made, with the runs under way. */
  return (endpoint: string, rows: ReadonlyArray<RunMemory.Admitted>, slots: ProviderSlots.Slots["slots"]) =>
    Effect.flatMap(Effect.zip(steady.now, MonotonicTime.millis), ([at, monotonicNow]) =>
      Effect.callback<void, EventStoreError>((resume) => {
        let left = rows.length
        const made = () => {
          if (--left === 0) resume(Effect.void)
        }
        for (const admitted of rows) {
          const { memory, row } = admitted
          const { requestId: id } = row
          const slot = slots[ProviderSlots.take(slots, row)]
          if (slot === undefined) return resume(Effect.die("More rows than slots"))
          const { provider } = slot
          const taken = take(endpoint, admitted, slot, monotonicNow)
          actors.send(id, { _tag: "Dispatch", at, provider, node: node.self }, [], (exit) => {
            if (Exit.isFailure(exit)) {
              fork({ id }, notClaimed(id, exit.cause)).addObserver((handled) => {
                taken.release()
                if (Exit.isSuccess(handled)) made()
                else resume(handled)
              })
              return
            }
            const { state } = exit.value
            // A request past its deadline ends at its claim instead.
            if (state._tag === "Request" && state.phase._tag === "Dispatched")
              taken.begin({ id, request: state, jobId: null, memory })
            else taken.release()
            made()
          })
        }
      })
    )
})
