/** Follows the changes of all accounts for all open streams of a node: one statement reads what is new. */
import { Context, Effect, Layer, Queue, Stream } from "effect"
import type { StatusChange } from "#projections/live-status/LiveStatus.ts"
import { LiveStatus } from "#projections/live-status/LiveStatus.ts"
import { Projections } from "#projections/Projections.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import * as Audience from "./Audience.ts"
import type { StreamFilter } from "./StreamFilter.ts"

/** `taken`, `full` (taken, and no room for more) or `declined`. After the last two the stream reads the rest itself. */
export type Taking = "taken" | "full" | "declined"

export interface Listener {
  readonly wanted: StreamFilter
  /** The position of the last change that it has seen or does not want. */
  readonly place: number
  /** Called with new changes; must neither wait nor throw. Listeners with equal filters get the same array. */
  readonly take: (changes: ReadonlyArray<StatusChange>) => Taking
}

interface Member {
  place: number
  readonly take: Listener["take"]
  readonly leave: () => void
}

/** Changes of one read. */
const pageSize = 500

export class LiveHub extends Context.Service<
  LiveHub,
  {
    /** The position up to which everything is handed out; 0 without listeners. */
    readonly place: () => number
    /**
     * Hands each wanted change after its position to the listener, once and in order, until it takes no more; then
     * completes with its position. Completes at once if the listener is behind and has to catch up first.
     */
    listen(listener: Listener): Effect.Effect<number>
  }
>()("inferlog/src/features/requests/live/LiveHub") {
  static readonly layer = Layer.effect(
    LiveHub,
    Effect.gen(function* () {
      const liveStatus = yield* LiveStatus
      const projections = yield* Projections
      const audience = Audience.make<Member>()
      const moved = yield* Queue.sliding<void>(1)
      let place = 0

      const hand = (page: ReadonlyArray<StatusChange>) => {
        for (const [cohort, changes] of audience.byCohort(page)) {
          for (const member of cohort.members) {
            // A listener that joined during the read may have read the page itself.
            const news = member.place < (changes[0]?.change ?? 0) ? changes : behind(changes, member.place)
            if (news.length === 0) continue
            const taking = member.take(news)
            if (taking !== "declined") member.place = news[news.length - 1]?.change ?? member.place
            if (taking !== "taken") member.leave()
          }
        }
        place = page[page.length - 1]?.change ?? place
      }

      const readOn: Effect.Effect<void, unknown> = Effect.gen(function* () {
        while (audience.size() > 0) {
          const since = place
          const page = yield* liveStatus.after({ change: since, limit: pageSize })
          // All listeners left meanwhile, and new ones are further back.
          if (place !== since) continue
          hand(page)
          if (page.length < pageSize) return
          yield* Effect.yieldNow
        }
      })

      const tell = projections.changes("history").pipe(Stream.runForEach(() => Queue.offer(moved, undefined)))
      yield* Effect.forkScoped(supervise("Following the history for live streams", tell))
      yield* Effect.forkScoped(
        supervise(
          "Handing changes to live streams",
          Effect.forever(Effect.andThen(Queue.take(moved), readOn))
        )
      )

      const listen = ({ place: from, take, wanted }: Listener) =>
        Effect.callback<number>((resume) => {
          // The first listener sets the position.
          if (audience.size() === 0) {
            place = from
            Queue.offerUnsafe(moved, undefined)
          } else if (place > from) return resume(Effect.succeed(from))
          const member: Member = {
            place: from,
            take,
            leave: () => {
              audience.remove(cohort, member)
              resume(Effect.succeed(member.place))
            }
          }
          const cohort = audience.add(wanted, member)
          return Effect.sync(() => audience.remove(cohort, member))
        })

      return LiveHub.of({ place: () => (audience.size() === 0 ? 0 : place), listen })
    })
  )
}

const behind = (changes: ReadonlyArray<StatusChange>, place: number) =>
  changes.filter(({ change }) => change > place)
