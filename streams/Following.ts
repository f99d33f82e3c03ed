/** Replay and follow, for any backend that can read a page of the log. */
import { Array, Effect, Option, Stream } from "effect"
import type { EventStoreError, Reading } from "./EventReader.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import type { HeadSignal } from "./HeadSignal.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"

export interface Pages {
  /** Some events after `after`, in order. Empty at the head. May leave out events as `subscribe` may. */
  readonly page: (
    after: GlobalPosition.GlobalPosition,
    types?: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError>
  readonly head: Effect.Effect<GlobalPosition.GlobalPosition, EventStoreError>
  readonly signal: HeadSignal
}

/** Calls `onEvents` with each commit's events as long as they follow on `position`. Returns what is to be done then. */
const whileLive = (
  signal: HeadSignal,
  position: () => GlobalPosition.GlobalPosition,
  onEvents: (events: ReadonlyArray<RecordedEvent>) => Effect.Effect<void, EventStoreError> | void
): Effect.Effect<void, EventStoreError> =>
  Effect.callback((resume) => {
    if (GlobalPosition.order(signal.current(), position()) > 0) return resume(Effect.void)
    const end = (next: Effect.Effect<void, EventStoreError>) => {
      stop()
      resume(next)
    }
    const stop = signal.listen(({ events, from }) => {
      if (events === undefined || GlobalPosition.order(from, position()) !== 0) return end(Effect.void)
      try {
        const work = onEvents(events)
        if (work !== undefined) end(work)
      } catch (defect) {
        end(Effect.die(defect))
      }
    })
    return Effect.sync(stop)
  })

export const make = ({
  page,
  head,
  signal
}: Pages): Pick<Reading, "readAll" | "subscribe" | "follow" | "changes"> => ({
  readAll: (after) => Stream.unwrap(Effect.map(head, (end) => replay(page, after, end))),
  subscribe: (after, types) =>
    Stream.fromPull(
      Effect.sync(() => {
        let position = after
        const pull: Effect.Effect<
          Array.NonEmptyReadonlyArray<RecordedEvent>,
          EventStoreError
        > = Effect.flatMap(
          Effect.suspend(() => page(position, types)),
          (events) => {
            if (!Array.isReadonlyArrayNonEmpty(events)) return Effect.andThen(signal.past(position), pull)
            position = Array.lastNonEmpty(events).position
            return Effect.succeed(events)
          }
        )
        return pull
      })
    ),
  follow: (after, onEvents) =>
    Effect.suspend(() => {
      let position = after
      const pass = (events: ReadonlyArray<RecordedEvent>) => {
        const work = onEvents(events)
        position = events.at(-1)?.position ?? position
        return work
      }
      return Effect.forever(
        Effect.flatMap(
          Effect.suspend(() => page(position)),
          (events) =>
            events.length === 0
              ? whileLive(signal, () => position, pass)
              : Effect.suspend(() => pass(events) ?? Effect.void)
        ),
        { disableYield: true }
      )
    }),
  changes: Stream.fromPull(
    Effect.sync(() => {
      let lastEmitted: GlobalPosition.GlobalPosition | undefined
      return Effect.suspend(() =>
        lastEmitted === undefined ? Effect.sync(signal.current) : signal.past(lastEmitted)
      ).pipe(
        Effect.tap((position) => Effect.sync(() => (lastEmitted = position))),
        Effect.map((position) => [position] as const)
      )
    })
  )
})

const replay = (
  page: Pages["page"],
  after: GlobalPosition.GlobalPosition,
  end: GlobalPosition.GlobalPosition
): Stream.Stream<RecordedEvent, EventStoreError> =>
  Stream.paginate(after, (position) =>
    GlobalPosition.isReached(end, position)
      ? Effect.succeed([[], Option.none()])
      : Effect.map(page(position), (events) => {
          const upToEnd = isWithin(events, end)
            ? events
            : events.filter((event) => GlobalPosition.isReached(event.position, end))
          return [upToEnd, Option.map(Array.last(upToEnd), (last) => last.position)]
        })
  )

const isWithin = (events: ReadonlyArray<RecordedEvent>, end: GlobalPosition.GlobalPosition): boolean => {
  const last = events.at(-1)
  return last === undefined || GlobalPosition.isReached(last.position, end)
}
