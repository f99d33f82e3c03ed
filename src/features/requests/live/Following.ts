/**
 * One stream of changes. It is behind and reads pages of its account's changes by itself, or it is live and gets new changes
 * from `LiveHub`. A slow reader falls behind and continues where it was, so nothing is buffered for it.
 */
import { Effect, Semaphore } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { LiveStatus, type StatusChange } from "#projections/live-status/LiveStatus.ts"
import { LiveHub, type Listener } from "./LiveHub.ts"
import { matches, type StreamFilter } from "./StreamFilter.ts"

export interface Follower<E> {
  readonly wanted: StreamFilter
  /** Whether the stream is complete. */
  readonly isDone: () => boolean
  /** Sends changes, and waits until there is room for more. */
  readonly give: (changes: ReadonlyArray<StatusChange>) => Effect.Effect<void, E>
  readonly take: Listener["take"]
  /** Waits until there is room. */
  readonly ready: Effect.Effect<void>
}

/** A page is about 90 KB of frames. */
const pageSize = 200

/** Streams that read a page at the same time. Other work runs between two rounds. */
const readers = 8

export const make = Effect.gen(function* () {
  const liveStatus = yield* LiveStatus
  const hub = yield* LiveHub
  const turns = Semaphore.makeUnsafe(readers)

  /** The turn ends with the read, because the reader of the page may be slow. */
  const inTurn = <A, E>(read: Effect.Effect<A, E>) =>
    turns.withPermits(1)(Effect.andThen(Effect.yieldNow, read))

  /**
   * Sends the current state: the last change of each request that has not ended, or of each
   * named request. Follow from that change on. A request that changes meanwhile is left out here and sent as a later
   * change. A client that is cut off resumes after its last frame and misses nothing.
   */
  const snapshot = Effect.fnUntraced(function* <E>(follower: Follower<E>) {
    const { accountId, requestIds } = follower.wanted
    const through = yield* liveStatus.newest
    const tell = (changes: ReadonlyArray<StatusChange>) => {
      const wanted = changes.filter((change) => matches(follower.wanted, change))
      return wanted.length === 0 ? Effect.void : follower.give(wanted)
    }
    if (requestIds !== null) {
      const found = yield* liveStatus.ofRequests([...requestIds])
      yield* tell(found.filter(({ change }) => change <= through))
      return through
    }
    let after = 0
    while (true) {
      const page = yield* inTurn(liveStatus.open({ accountId, after, through, limit: pageSize }))
      yield* tell(page)
      const last = page.at(-1)
      if (last === undefined || page.length < pageSize) return through
      after = last.change
    }
  })

  /** Named requests need no read unless they changed after this position. Otherwise changes are read in pages. */
  const skipped = Effect.fnUntraced(function* ({ requestIds }: StreamFilter, place: number) {
    if (requestIds === null) return place
    const newest = yield* liveStatus.newest
    const found = yield* liveStatus.ofRequests([...requestIds])
    return found.some(({ change }) => change > place) ? place : Math.max(place, newest)
  })

  /** The hub's position is read before the page, so the page contains what the hub has handed out by then. */
  const newsOf = (accountId: AccountId, change: number) =>
    Effect.suspend(() => {
      const handedOut = hub.place()
      return Effect.map(liveStatus.after({ accountId, change, limit: pageSize }), (page) => ({
        handedOut,
        page
      }))
    })

  /** Sends every change after `from` once and in order. Ends when the follower is done. */
  const follow = Effect.fnUntraced(function* <E>(follower: Follower<E>, from: number) {
    const { take, wanted } = follower
    let place = from
    while (!follower.isDone()) {
      place = yield* skipped(wanted, place)
      const { handedOut, page } = yield* inTurn(newsOf(wanted.accountId, place))
      place = page.at(-1)?.change ?? place
      const changes = page.filter((change) => matches(wanted, change))
      if (changes.length > 0) yield* follower.give(changes)
      if (page.length === pageSize || follower.isDone()) continue
      place = yield* hub.listen({ wanted, place: Math.max(place, handedOut), take })
      yield* follower.ready
    }
  })

  return { snapshot, follow }
})
