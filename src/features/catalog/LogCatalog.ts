/** This node's catalog in memory: all published items. It shows publications by other nodes within a second or two. */
import { Context, Effect, Layer, Result, Semaphore, Stream } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { projection } from "#projections/catalog/CatalogProjection.ts"
import { type CatalogRow, CatalogRows } from "#projections/catalog/CatalogRows.ts"
import { Projections } from "#projections/Projections.ts"
import { Catalog, type CatalogEntry, NotKnownHere } from "./models/Catalog.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import { CatalogContents } from "./CatalogContents.ts"
import { CatalogProgress } from "./CatalogProgress.ts"
import * as CatalogView from "./CatalogView.ts"
import * as PreviousVersions from "./PreviousVersions.ts"
import * as StoredItems from "./StoredItems.ts"

/** Interval of refreshes while the log grows. */
const interval = "1 second"

/** Unknown endpoints that are remembered, with the time. */
const rememberedUnknown = 1_000

/** How long a publisher waits for the rows. */
const patience = "10 seconds"

const { name } = projection

const none: Effect.Effect<CatalogEntry | null> = Effect.succeed(null)

const logUnreadable = ({ kind, name }: CatalogRow) =>
  Effect.logError("This release cannot read an item of the catalog, and leaves it out").pipe(
    Effect.annotateLogs({ kind, name })
  )

const make = Effect.gen(function* () {
  const rows = yield* CatalogRows
  const projections = yield* Projections
  const reader = yield* EventReader
  const earlier = yield* PreviousVersions.make
  const turn = yield* Semaphore.make(1)
  let view = CatalogView.empty

  const load = Effect.gen(function* () {
    const changed = yield* rows.changedAfter(view.change)
    const last = changed.at(-1)
    if (last === undefined) return
    const items = new Map<string, StoredItems.Item | null>()
    for (const row of changed) {
      const item = StoredItems.itemOf(row)
      if (Result.isFailure(item)) yield* logUnreadable(row)
      items.set(
        StoredItems.keyOf(row),
        Result.getOrElse(item, () => null)
      )
    }
    view = CatalogView.after(view, { number: last.changed, items })
  })
  const refresh: Effect.Effect<void, SqlError> = turn.withPermit(load)

  const hasStopped = Effect.map(projections.states, (all) => all.get(name)?.stopped !== false)

  /** No time limit: a catalog without its models would refuse their requests. */
  const reach = (head: GlobalPosition.GlobalPosition, isTold = false): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (yield* projections.waitFor(head, { projection: name, timeout: patience })) return
      if (yield* hasStopped)
        return yield* Effect.logError("The catalog is out of date: its projection has stopped")
      if (!isTold) yield* Effect.logInfo("The catalog is read from the log before requests are accepted")
      return yield* reach(head, true)
    })

  yield* Effect.flatMap(reader.head, (head) => reach(head))
  yield* refresh

  const follow = projections
    .changes(name)
    .pipe(Stream.runForEach(() => Effect.andThen(refresh, Effect.sleep(interval))))
  yield* Effect.forkScoped(supervise("Following the catalog", follow))

  const caughtUp = Effect.gen(function* () {
    const head = yield* reader.head
    const isReached = yield* projections.waitFor(head, { projection: name, timeout: patience })
    yield* refresh
    if (!isReached) yield* Effect.logWarning("Published items will appear in the catalog later: its rows lag")
  }).pipe(
    Effect.catch((error) => Effect.logWarning("Published items will appear in the catalog later", error)),
    Effect.withSpan("LogCatalog.caughtUp")
  )

  const find = (endpoint: string) => view.offers.get(endpoint)?.found() ?? none

  /** Ends of the log at requests for unknown endpoints: once the rows are past one, its endpoint does not exist. */
  const unknown = RecentlyUsed.make<GlobalPosition.GlobalPosition>({ capacity: rememberedUnknown })

  /** Requests for it were accepted, so it was published at some time. */
  const neverOffered = Effect.fnUntraced(
    function* (endpoint: string) {
      const seen = unknown.get(endpoint)
      if (seen === undefined) {
        unknown.set(endpoint, yield* reader.head)
        return yield* new NotKnownHere({ endpoint })
      }
      const state = (yield* projections.states).get(name)
      if (state === undefined || !GlobalPosition.isReached(seen, state.position)) {
        return yield* new NotKnownHere({ endpoint })
      }
      yield* refresh
      const offer = offerOf(endpoint)
      if (offer !== undefined) return yield* offer.known()
      if (!CatalogView.isReadable(view, endpoint)) return yield* new NotKnownHere({ endpoint })
      return null
    },
    (effect, endpoint) => Effect.mapError(effect, () => new NotKnownHere({ endpoint }))
  )

  const offerOf = (endpoint: string) => view.offers.get(endpoint) ?? view.withdrawn.get(endpoint)

  const lastOffered = (endpoint: string): Effect.Effect<CatalogEntry | null, NotKnownHere> =>
    Effect.suspend(() => {
      const offer = offerOf(endpoint)
      if (!CatalogView.isReadable(view, endpoint)) return Effect.fail(new NotKnownHere({ endpoint }))
      return offer === undefined ? neverOffered(endpoint) : offer.known()
    })

  const findEarlier = Effect.fn("LogCatalog.findEarlier")(function* (endpoint: string, version: string) {
    const known = yield* earlier.find(endpoint, version)
    if (known !== null) return known
    // Another node may have published it, and accepted the request, before this node's rows show it.
    const isCaughtUp = yield* Effect.orElseSucceed(projections.caughtUp(name), () => false)
    if (!isCaughtUp) return yield* new NotKnownHere({ endpoint })
    const found = yield* earlier.find(endpoint, version)
    if (found !== null) return found
    yield* Effect.mapError(refresh, () => new NotKnownHere({ endpoint }))
    const last = offerOf(endpoint)
    if (last !== undefined) return yield* last.known()
    if (!CatalogView.isReadable(view, endpoint)) return yield* new NotKnownHere({ endpoint })
    return null
  })

  const findVersion = (endpoint: string, version: string) => {
    const offer = view.offers.get(endpoint)
    return offer?.entry.model.version === version ? offer.known() : findEarlier(endpoint, version)
  }

  return Context.make(Catalog, { all: Effect.sync(() => view.entries), find, findVersion, lastOffered }).pipe(
    Context.add(CatalogContents, { current: Effect.sync(() => view.contents) }),
    Context.add(CatalogProgress, { caughtUp })
  )
})

/** Ready when it has what was on the log at the start. */
export const layer = Layer.effectContext(make).pipe(Layer.provide(CatalogRows.layer))
