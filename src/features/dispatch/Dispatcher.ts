/**
 * The dispatcher: a process manager that wakes for due work, claims what its models have room for, and runs it. The
 * queue is the DueWork projection and a claim is an event with an expected version. A claim reads the request itself,
 * so stale rows, duplicates and restarts are harmless. Waiting requests are rows, never fibers.
 */
import { type Cause, Deferred, Effect, Layer, Stream } from "effect"
import type { AccountId, RequestId } from "#domain/Ids.ts"
import type { Rejection } from "#domain/inference-request/Command.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { projection } from "#projections/due-work/DueWorkProjection.ts"
import { Projections } from "#projections/Projections.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { Health } from "#src/platform/health/Health.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as DueWorkLoop from "#src/platform/reactors/DueWorkLoop.ts"
import * as UnreadableRequests from "#src/platform/reactors/UnreadableRequests.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import type { Watch } from "#src/features/provider-health/ProviderHealth.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as Contenders from "./Contenders.ts"
import * as KnownModels from "./KnownModels.ts"
import * as Probes from "./Probes.ts"
import * as ProviderSlots from "./ProviderSlots.ts"
import * as Recovery from "./Recovery.ts"
import type { Claimed } from "./Run.ts"
import * as RunMemory from "./RunMemory.ts"
import { Runs } from "./Runs.ts"
import * as SlowStart from "./SlowStart.ts"
import * as ClaimTurns from "#src/platform/reactors/ClaimTurns.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"

/** The most claims at once for one model; the rest follow in the next pass, so that no model starves another. */
const maxClaimsPerPass = 512

/** Rows remain while their provider does not stop, and must not keep others from being stopped. */
const maxStopsPerPass = 10_000

/** A dispatcher without a completed step for so long is unhealthy, ms. Claims take some seconds at most. */
const stalledAfterMs = 30_000

const make = Effect.gen(function* () {
  const dueWork = yield* DueWork
  const projections = yield* Projections
  const actors = yield* RequestActors
  const steady = yield* SteadyTime
  const runs = yield* Runs
  const node = yield* Nodes
  const reader = yield* EventReader
  const providers = yield* ProviderSlots.make
  const loop = yield* DueWorkLoop.make
  /** When it last completed a step, even if nothing was to do (`MonotonicTime.millis`). */
  let doneAt = yield* MonotonicTime.millis
  const isDone = Effect.map(MonotonicTime.millis, (now) => void (doneAt = now))
  yield* (yield* Health).watch("dispatcher_stalled", (now) => (now - doneAt > stalledAfterMs ? doneAt : null))

  /** The next pass continues after the account that was served last. */
  const served = Contenders.served<AccountId>()

  const unreadable = UnreadableRequests.make("be read")
  const slowStart = SlowStart.make()
  const knownOf = yield* KnownModels.make

  /** Models and providers without room at the last look. */
  const fullModels = new Set<string>()
  const fullProviders = new Set<string>()

  const { wake } = loop
  const memory = yield* RunMemory.make(wake)
  const probe = yield* Probes.make(wake)

  /** Wakes only if something waits for the room. */
  const onEnd = (endpoint: string, provider: string) =>
    Effect.sync(() => {
      const wasModelFull = fullModels.delete(endpoint)
      if (fullProviders.delete(provider) || wasModelFull) wake()
    })

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
  const claimAll = (
    endpoint: string,
    rows: ReadonlyArray<RunMemory.Admitted>,
    slots: ProviderSlots.Slots["slots"]
  ) =>
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

  /** The model has no room until one of these changes. */
  const waitForRoom = (endpoint: string, found: ProviderSlots.Slots, now: number) => {
    fullModels.add(endpoint)
    for (const { left, provider } of found.slots) if (left <= 0) fullProviders.add(provider)
    if (found.admitsIn !== null) loop.wakeAt(now + found.admitsIn)
    return false
  }

  /** True if claims were made or rows were stale. Either way the projection has to catch up. */
  const dispatchModel = Effect.fnUntraced(function* (
    endpoint: ModelEndpoint,
    entry: CatalogEntry | null,
    contenders: Contenders.Contenders,
    now: number
  ) {
    const counted = entry?.runs ?? endpoint
    const found = providers.of(entry, contenders)
    const { nodes } = found
    const room = contenders.partOfModel(counted, found.runs - runs.count(counted))
    const limit = Math.min(room, ProviderSlots.leftOf(found.slots), maxClaimsPerPass)
    if (limit <= 0) return waitForRoom(counted, found, now)
    const heldBack = slowStart.heldBack(endpoint)
    const limited = ClaimTurns.rowsFor(limit, nodes) + unreadable.count() + memory.count() + 2 * heldBack
    const due = yield* dueWork.next({
      model: endpoint,
      now,
      limit: limited,
      after: served.lastOf(endpoint)
    })
    const own = loop.ownOf(
      due.filter(({ accountId, requestId }) => !unreadable.has(requestId) && !memory.isFull(accountId)),
      now,
      found
    )
    const monotonicNow = yield* MonotonicTime.millis
    const rows = slowStart.select(endpoint, own, limit, monotonicNow)
    const opensIn = slowStart.opensIn(endpoint, monotonicNow)
    if (opensIn !== null) loop.wakeAt(now + opensIn)
    const admitted = yield* memory.admit(rows)
    const last = admitted.at(-1)
    // There may be more rows behind those of a full account and those that are held back.
    if (last === undefined)
      return rows.length > 0 || (due.length === limited && slowStart.heldBack(endpoint) > heldBack)
    served.note(endpoint, last.row.accountId)
    yield* claimAll(counted, admitted, found.slots)
    yield* isDone
    return true
  })

  const stopCancelled = Effect.flatMap(
    Effect.suspend(() => dueWork.cancelRequested({ node: node.self, limit: maxStopsPerPass })),
    Effect.forEach(({ requestId }) => runs.stop(requestId), { discard: true })
  )

  const pass = Effect.gen(function* () {
    yield* stopCancelled
    const now = yield* steady.now
    const models = served.inTurn(yield* dueWork.dueModels(now))
    yield* providers.refresh
    const known = yield* knownOf(models)
    yield* probe(known.map(({ entry }) => entry))
    // Models and providers that are still full are added again.
    fullModels.clear()
    fullProviders.clear()
    const contenders = Contenders.make(known.map(({ entry }) => entry))
    const moved = yield* Effect.forEach(known, ({ endpoint, entry }) =>
      dispatchModel(endpoint, entry, contenders, now)
    )
    yield* isDone
    if (!moved.includes(true)) return false
    // If the projection lags, its next change wakes the dispatcher; until then it would claim the same rows in vain.
    return yield* projections.waitFor(yield* reader.head, { projection: projection.name })
  })

  const recover = yield* Recovery.make(onEnd)

  const followRoom = Stream.runForEach(providers.changes, () =>
    Effect.sync(() => {
      if (fullModels.size > 0) wake()
    })
  )

  yield* Effect.forkScoped(supervise("The dispatcher", followRoom))
  yield* loop.run({
    name: "The dispatcher",
    projections: [projection.name],
    recover,
    pass,
    nextDueAt: dueWork.nextDueAt
  })
})

export const layer = Layer.effectDiscard(make)
