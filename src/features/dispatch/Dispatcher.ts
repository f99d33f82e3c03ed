/**
 * The dispatcher: a process manager that wakes for due work, claims what its models have room for, and runs it. The
 * queue is the DueWork projection and a claim is an event with an expected version. Waiting requests are rows, never fibers.
 * What a single node submits while its models have room is claimed as soon as it is on the log (`FreshWork`).
 */
import { type Cause, Effect, Layer, Queue, Semaphore, Stream } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId } from "#domain/Ids.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import { DueWork, type QueuedRequest } from "#projections/due-work/DueWork.ts"
import { projection } from "#projections/due-work/DueWorkProjection.ts"
import { roundRobin } from "#projections/due-work/Fairness.ts"
import { Projections } from "#projections/Projections.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { Health } from "#src/platform/health/Health.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as DueWorkLoop from "#src/platform/reactors/DueWorkLoop.ts"
import * as UnreadableRequests from "#src/platform/reactors/UnreadableRequests.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as Claims from "./Claims.ts"
import * as Contenders from "./Contenders.ts"
import * as FreshWork from "./FreshWork.ts"
import * as KnownModels from "./KnownModels.ts"
import * as Probes from "./Probes.ts"
import * as ProviderSlots from "./ProviderSlots.ts"
import * as Recovery from "./Recovery.ts"
import * as RunMemory from "./RunMemory.ts"
import { Runs } from "./Runs.ts"
import * as SlowStart from "./SlowStart.ts"
import * as ClaimTurns from "#src/platform/reactors/ClaimTurns.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"

/** The most claims at once for one model; the rest follow in the next pass, so that no model starves another. */
const maxClaimsPerPass = 512

/** Rows remain while their provider does not stop, and must not keep others from being stopped. */
const maxStopsPerPass = 10_000

/** A dispatcher that is awake and completes no step for so long is unhealthy, ms. Claims take some seconds at most. */
const stalledAfterMs = 30_000

/** About a second of submits that arrive faster than they are claimed. */
const freshCapacity = { perModel: 4_096, total: 16_384 }

/** What a pass did for a model. */
interface Dispatched {
  /** Claims were made or rows were stale. Either way the projection has to catch up. */
  readonly moved: boolean
  /** Why rows may be left: the model has no room, this pass took its part, or some rows have to wait. */
  readonly left: "none" | "full" | "more" | "waiting"
}

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
  let followed = yield* reader.head
  const fresh = FreshWork.make(followed, freshCapacity)
  /** When it last completed a step, even if nothing was to do (`MonotonicTime.millis`). */
  let doneAt = yield* MonotonicTime.millis
  const isDone = Effect.map(MonotonicTime.millis, (now) => void (doneAt = now))
  yield* (yield* Health).watch("dispatcher_stalled", (now) => {
    const awakeSince = loop.awakeSince()
    const since = awakeSince === null ? now : Math.max(awakeSince, doneAt)
    return now - since > stalledAfterMs ? since : null
  })

  /** The next pass continues after the account that was served last. */
  const served = Contenders.served<AccountId>()

  const unreadable = UnreadableRequests.make("be read")
  const slowStart = SlowStart.make()
  const knownOf = yield* KnownModels.make
  const knownOfFresh = yield* KnownModels.make

  /** Models and providers without room at the last look. */
  const fullModels = new Set<string>()
  const fullProviders = new Set<string>()

  /** Models with due requests that waited for room at the last look. */
  const waitingForRoom = new Set<ModelEndpoint>()
  /** Those of them, and others with rows left, that share the room of providers with models that have fresh work. */
  let leftEntries: ReadonlyArray<CatalogEntry | null> = []

  const { wake } = loop
  const memory = yield* RunMemory.make(wake)
  const probe = yield* Probes.make(wake)

  /** Wakes only if something waits for the room. */
  const onEnd = (endpoint: string, provider: string) => {
    const wasModelFull = fullModels.delete(endpoint)
    if (fullProviders.delete(provider) || wasModelFull) wake()
  }

  const claimAll = yield* Claims.make({ slowStart, unreadable, onEnd, wake })

  /** Other nodes may claim too, each row in its turn. */
  const isAlone = () => node.live().length < 2

  /** A single node knows of every claim. Its read model may not yet. */
  const isClaimed = ({ requestId }: QueuedRequest) => {
    const known = isAlone() ? actors.peek(requestId) : undefined
    return known?.state._tag === "Request" && known.state.phase._tag !== "Queued"
  }

  /** The model has no room until one of these changes. */
  const waitForRoom = (
    model: ModelEndpoint,
    endpoint: string,
    found: ProviderSlots.Slots,
    now: number
  ): Dispatched => {
    waitingForRoom.add(model)
    fullModels.add(endpoint)
    for (const { left, provider } of found.slots) if (left <= 0) fullProviders.add(provider)
    if (found.admitsIn !== null) loop.wakeAt(now + found.admitsIn)
    return { moved: false, left: "full" }
  }

  type Rows<E> = (
    options: Parameters<DueWork["Service"]["next"]>[0]
  ) => Effect.Effect<ReadonlyArray<QueuedRequest>, E>

  /** Claims what the model has room for, of the rows that `next` finds. */
  const dispatchModel = Effect.fnUntraced(function* <E>(
    next: Rows<E>,
    { endpoint, entry }: { readonly endpoint: ModelEndpoint; readonly entry: CatalogEntry | null },
    contenders: Contenders.Contenders,
    now: number
  ) {
    const counted = entry?.runs ?? endpoint
    const found = providers.of(entry, contenders)
    const { nodes } = found
    const room = contenders.partOfModel(counted, found.runs - runs.count(counted))
    const limit = Math.min(room, ProviderSlots.leftOf(found.slots), maxClaimsPerPass)
    if (limit <= 0) return waitForRoom(endpoint, counted, found, now)
    const heldBack = slowStart.heldBack(endpoint)
    const limited = ClaimTurns.rowsFor(limit, nodes) + unreadable.count() + memory.count() + 2 * heldBack
    const read = yield* next({ model: endpoint, now, limit: limited, after: served.lastOf(endpoint) })
    const due = read.filter((row) => !isClaimed(row))
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
    const isAll = read.length < limited && admitted.length === due.length
    const left = isAll ? "none" : admitted.length === limit ? "more" : "waiting"
    // There may be more rows behind those of a full account and those that are held back.
    if (last === undefined) {
      const hasPassedOver = read.length === limited && slowStart.heldBack(endpoint) > heldBack
      return {
        moved: rows.length > 0 || due.length < read.length || hasPassedOver,
        left
      } satisfies Dispatched
    }
    served.note(endpoint, last.row.accountId)
    for (const { row } of admitted) fresh.remove(row)
    yield* claimAll(counted, admitted, found.slots)
    yield* isDone
    return { moved: true, left } satisfies Dispatched
  })

  const stopCancelled = Effect.flatMap(
    Effect.suspend(() => dueWork.cancelRequested({ node: node.self, limit: maxStopsPerPass })),
    Effect.forEach(({ requestId }) => runs.stop(requestId))
  )

  /** Looks and passes of fresh work take turns, because each counts the room that is left. */
  const turns = Semaphore.makeUnsafe(1)
  const freshSignal = yield* Queue.sliding<void>(1)
  const wakeFresh = () => Queue.offerUnsafe(freshSignal, undefined)

  const shownPosition = Effect.map(
    projections.states,
    (states) => states.get(projection.name)?.position ?? GlobalPosition.beginning
  )

  /** Handles the rows of the projection. */
  const look = Effect.gen(function* (): Effect.fn.Return<DueWorkLoop.Found, EventStoreError | SqlError> {
    fresh.beginLook(yield* shownPosition)
    const stopped = yield* stopCancelled
    const now = yield* steady.now
    const models = served.inTurn(yield* dueWork.dueModels(now))
    yield* providers.refresh
    const known = yield* knownOf(models)
    yield* probe(known.map(({ entry }) => entry))
    // Models and providers that are still full are added again.
    fullModels.clear()
    fullProviders.clear()
    waitingForRoom.clear()
    const contenders = Contenders.make(known.map(({ entry }) => entry))
    const dispatched = yield* Effect.forEach(known, (model) =>
      dispatchModel(dueWork.next, model, contenders, now)
    )
    const done = new Set(
      known.flatMap(({ endpoint }, index) => (dispatched[index]?.left === "none" ? [endpoint] : []))
    )
    leftEntries = known.flatMap(({ endpoint, entry }) => (done.has(endpoint) ? [] : [entry]))
    fresh.endLook(models.filter((model) => !done.has(model)))
    if (fresh.models().length > 0) wakeFresh()
    yield* isDone
    if (dispatched.some(({ moved }) => moved)) return "moved"
    return models.length + stopped.length > 0 ? "left" : "idle"
  })

  /** Why a pass of fresh work failed, until the loop fails with it: then it recovers claims that may be on the log. */
  let failed: Cause.Cause<EventStoreError> | null = null

  const pass = Effect.gen(function* () {
    if (failed !== null) {
      const cause = failed
      failed = null
      return yield* Effect.failCause(cause)
    }
    const found = yield* turns.withPermits(1)(look)
    if (found !== "moved") return found
    // If the projection lags, its next change wakes the dispatcher; until then it would claim the same rows in vain.
    const isCurrent = yield* projections.waitFor(yield* reader.head, { projection: projection.name })
    return isCurrent ? "moved" : "left"
  })

  /** Whether the rows of the projection may hold work, other than work that waits for room. */
  const needsLook = () =>
    !isAlone() || fresh.isBehind() || Array.from(fresh.left()).some((model) => !waitingForRoom.has(model))

  /** What the projection shows and `followLog` has not seen yet: each reads the log by itself. */
  let shownAhead: GlobalPosition.GlobalPosition | null = null

  /** The projection has reached the position. If that is ahead of `followLog`, `followLog` decides. */
  const needsPass = (position: GlobalPosition.GlobalPosition) => {
    shownAhead = GlobalPosition.isReached(position, followed) ? null : position
    return shownAhead === null && needsLook()
  }

  const freshRows: Rows<never> = ({ after, limit, model }) => {
    const rows = fresh.of(model)
    const inTurn = rows.length === 1 ? rows : roundRobin(rows, after, ({ requestId }) => requestId)
    return Effect.succeed(inTurn.slice(0, limit))
  }

  /** Claims what was submitted since the last look, unless older requests wait for the same model. */
  const freshPass = Effect.gen(function* () {
    const models = isAlone() ? served.inTurn(fresh.models()) : []
    if (models.length === 0) return
    const now = yield* steady.now
    yield* providers.refresh
    const known = yield* knownOfFresh(models)
    if (known.length < models.length) models.forEach(fresh.leave)
    const contenders = Contenders.make([...known.map(({ entry }) => entry), ...leftEntries])
    for (const model of known) {
      const { left } = yield* dispatchModel(freshRows, model, contenders, now)
      if (left === "more") wakeFresh()
      else if (left !== "none") {
        fresh.leave(model.endpoint)
        loop.left(now)
      }
    }
    if (needsLook()) wake()
    yield* isDone
  })

  const dispatchFresh = Queue.take(freshSignal).pipe(
    Effect.andThen(turns.withPermits(1)(freshPass)),
    Effect.catchCause((cause) =>
      Effect.sync(() => {
        fresh.leaveAll()
        failed = cause
        wake()
      })
    ),
    Effect.forever
  )

  const followLog = Effect.suspend(() =>
    reader.follow(followed, (events) => {
      followed = events.at(-1)?.position ?? followed
      if (fresh.note(events)) wakeFresh()
      if (shownAhead !== null && needsPass(shownAhead)) wake()
    })
  )

  const recover = yield* Recovery.make(onEnd)

  const followRoom = Stream.runForEach(providers.changes, () =>
    Effect.sync(() => {
      if (fullModels.size > 0) wake()
    })
  )

  for (const fiber of [followRoom, followLog, dispatchFresh])
    yield* Effect.forkScoped(supervise("The dispatcher", fiber))
  yield* loop.run({
    name: "The dispatcher",
    projections: [projection.name],
    needsPass,
    recover,
    pass,
    nextDueAt: dueWork.nextDueAt
  })
})

export const layer = Layer.effectDiscard(make)
