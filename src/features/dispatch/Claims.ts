/**
 * Claims requests and begins their runs. A claim is an event with an expected version and reads the request itself, so stale
 * rows and duplicates are harmless.
 */
import { type Cause, Deferred, Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { Rejection } from "#domain/inference-request/Command.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import type * as UnreadableRequests from "#src/platform/reactors/UnreadableRequests.ts"
import type { Watch } from "#src/features/provider-health/ProviderHealth.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as ProviderSlots from "./ProviderSlots.ts"
import type { Claimed } from "./Run.ts"
import type * as RunMemory from "./RunMemory.ts"
import { Runs } from "./Runs.ts"
import type * as SlowStart from "./SlowStart.ts"

export interface ClaimsOptions {
  readonly slowStart: SlowStart.SlowStart
  readonly unreadable: UnreadableRequests.Unreadable
  /** Called when a run of the model has ended at the provider. */
  readonly onEnd: (endpoint: string, provider: string) => Effect.Effect<void>
  /** Asks for a pass, because a run that was on trial has ended. */
  readonly wake: () => void
}

export const make = Effect.fnUntraced(function* ({ onEnd, slowStart, unreadable, wake }: ClaimsOptions) {
  const actors = yield* RequestActors
  const steady = yield* SteadyTime
  const runs = yield* Runs
  const node = yield* Nodes

  const notClaimed = (
    id: RequestId,
    cause: Cause.Cause<EventStoreError | Rejection>
  ): Effect.Effect<null, EventStoreError> =>
    Effect.failCause(cause).pipe(
      // Another node may know more: a stale state here must not refuse the same row again and again.
      Effect.catchTag(["NotDispatchable", "RequestNotFound", "RequestNotEnded"], () =>
        Effect.as(actors.refresh(id), null)
      ),
      unreadable.orElse(id, null)
    )

  /** The claim of one request; `null` if there is nothing left to claim. */
  const claim = (
    { memory, row: { requestId: id } }: RunMemory.Admitted,
    provider: string,
    at: number
  ): Effect.Effect<Claimed | null, EventStoreError> =>
    Effect.matchCauseEffect(actors.execute(id, { _tag: "Dispatch", at, provider, node: node.self }), {
      onSuccess: ({ state }) =>
        // A request past its deadline ends here instead.
        Effect.succeed(
          state._tag === "Request" && state.phase._tag === "Dispatched"
            ? { id, request: state, jobId: null, memory }
            : null
        ),
      onFailure: (cause) => notClaimed(id, cause)
    })

  /** Claims each row and runs it in a fiber of its own. Returns when all claims are made, with the runs under way. */
  return (endpoint: string, rows: ReadonlyArray<RunMemory.Admitted>, slots: ProviderSlots.Slots["slots"]) =>
    Effect.flatMap(Effect.zip(steady.now, MonotonicTime.millis), ([at, monotonicNow]) => {
      const all = Deferred.makeUnsafe<void, EventStoreError>()
      let left = rows.length
      const claimFailed = (cause: Cause.Cause<EventStoreError>) => {
        Deferred.doneUnsafe(all, Effect.failCause(cause))
        return Effect.void
      }
      const claimMade = Effect.sync(() => {
        if (--left === 0) Deferred.doneUnsafe(all, Effect.void)
      })
      /** Claim → run → record. */
      const sequence = (admitted: RunMemory.Admitted, provider: string, watch: Watch) =>
        Effect.matchCauseEffect(claim(admitted, provider, at), {
          onFailure: claimFailed,
          onSuccess: (claimed) =>
            claimed === null
              ? claimMade
              : Effect.flatMap(runs.begin(claimed, watch), (run) => Effect.andThen(claimMade, run))
        })
      const ends = slots.map(({ provider }) => onEnd(endpoint, provider))
      const start = (admitted: RunMemory.Admitted) => {
        const { memory, row } = admitted
        const index = ProviderSlots.take(slots, row)
        const slot = slots[index]
        if (slot === undefined) return Effect.die("More rows than slots")
        const { requestId: id } = row
        const { provider } = slot
        const watch = slot.begin()
        const ended = ends[index] ?? Effect.void
        const passed = slowStart.begin(row, monotonicNow)
        const onEnd =
          row.crashes === 0
            ? ended
            : Effect.andThen(
                ended,
                Effect.sync(() => (passed(), wake()))
              )
        return runs.fork(
          { id, endpoint, provider, watch, onEnd, memory },
          sequence(admitted, provider, watch)
        )
      }
      return Effect.andThen(Effect.forEach(rows, start, { discard: true }), Deferred.await(all))
    })
})
