/** What accounts may spend on this node. Other nodes' submits count after their lag (architecture, "Billing"). */
import { Context, Effect, Layer, Schedule } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import { ReadModelBehind } from "#projections/ReadModelError.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as HeadSignal from "#streams/HeadSignal.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import * as FundsCells from "./FundsCells.ts"

/** Streams that are read at a time where the log cannot read many at once. */
const concurrency = 32

/** How long a start, or a submit about to be refused, waits for the fold to follow the log. */
const patience = "2 seconds"

export class Funds extends Context.Service<
  Funds,
  Pick<FundsCells.FundsCells, "of" | "ofKey" | "reserve" | "affords" | "cancel"> & {
    /** Whether the cells have reached the log's end as of the start; before that they are outdated. */
    readonly isLevel: () => boolean
    /** Waits until then, at most 2 s. */
    readonly levelled: Effect.Effect<void, ReadModelBehind>
    /** Waits at most 2 s for what is on the log, so that a refusal considers all that a client may know of. */
    readonly caughtUp: Effect.Effect<void>
    /**
     * Settles a reserve whose append failed and may still be on the log: cancels it when it is certain that it is not.
     * Retries until the log can be read. Returns the request's first event; `null` without one.
     */
    settle(requestId: RequestId): Effect.Effect<RecordedEvent | null>
  }
>()("inferlog/src/features/funds/Funds") {
  /** Ready when the cells have reached the head of the log, or after 2 s. They follow it from then on. */
  static readonly layer = Layer.effect(
    Funds,
    Effect.gen(function* () {
      const reader = yield* EventReader
      const { settled } = yield* EventStore
      const { state } = yield* Ledger
      const start = yield* state
      const cells = FundsCells.make(start)
      const reached = HeadSignal.make(start.position)
      /** The events up to here are folded. `reached` follows when all holds that they end are released. */
      let folded = start.position

      /** Applies all events except unreadable ones. */
      const fold = (events: ReadonlyArray<RecordedEvent>) => {
        const ended: Array<RecordedEvent> = []
        const unreadable: Array<RecordedEvent> = []
        for (const event of events) {
          try {
            if (!cells.fold(event)) ended.push(event)
          } catch {
            unreadable.push(event)
          }
        }
        folded = events.at(-1)?.position ?? folded
        if (ended.length === 0 && unreadable.length === 0) return reached.publish(folded)
        return Effect.flatMap(endAll(ended), (others) => {
          reached.publish(folded)
          return Effect.forEach([...unreadable, ...others], logUnreadable, { discard: true })
        })
      }

      /** The first events of these streams, read until the log can be. */
      const firstEvents = (streams: ReadonlyArray<StreamName.StreamName>) =>
        Effect.suspend(
          () =>
            reader.many?.read(streams) ??
            Effect.map(
              Effect.forEach(streams, (stream) => reader.read(stream), { concurrency }),
              (all) => all.flat()
            )
        ).pipe(
          Effect.retry(Schedule.spaced("1 second")),
          Effect.orDie,
          Effect.map((events) => new Map(events.toReversed().map((event) => [event.stream, event])))
        )

      /** Releases the holds that are not in memory. Returns the events that cannot be read. */
      const endAll = Effect.fnUntraced(function* (ended: ReadonlyArray<RecordedEvent>) {
        if (ended.length === 0) return []
        const submitted = yield* firstEvents(ended.map(({ stream }) => stream))
        return ended.filter((event) => !isEnded(cells, event, submitted.get(event.stream)))
      })

      const head = yield* reader.head
      const follow = Effect.suspend(() => reader.follow(folded, fold))
      yield* Effect.forkScoped(supervise("Following the log for what accounts may spend", follow))

      const reach = (position: GlobalPosition.GlobalPosition): Effect.Effect<void> =>
        Effect.suspend(() => {
          const now = reached.current()
          return GlobalPosition.isReached(position, now)
            ? Effect.void
            : Effect.flatMap(reached.past(now), () => reach(position))
        })

      let isLevel = false
      const levelled = Effect.map(reach(head), () => void (isLevel = true))
      const behind = GlobalPosition.sequence(head) - GlobalPosition.sequence(start.position)
      const tellLong = Effect.logInfo(
        "Reading accounts' funds from the log; no requests are accepted meanwhile"
      ).pipe(Effect.annotateLogs({ events: behind }))
      yield* Effect.forkScoped(levelled)
      yield* Effect.timeoutOrElse(levelled, { duration: patience, orElse: () => tellLong })

      const headReached: Effect.Effect<void, EventStoreError> = Effect.flatMap(reader.head, reach)

      return Funds.of({
        of: cells.of,
        ofKey: cells.ofKey,
        reserve: cells.reserve,
        affords: cells.affords,
        cancel: cells.cancel,
        isLevel: () => isLevel,
        levelled: Effect.timeoutOrElse(levelled, {
          duration: patience,
          orElse: () => Effect.fail(new ReadModelBehind({ projection: "funds" }))
        }),
        caughtUp: headReached.pipe(Effect.timeoutOption(patience), Effect.ignore),
        settle: Effect.fnUntraced(function* (requestId) {
          const stream = StreamName.make(InferenceRequest.aggregate.category, requestId)
          yield* settled(stream)
          // If the log cannot be reached, the newest state that this node has seen counts.
          const [submitted] = yield* reader
            .read(stream)
            .pipe(Effect.retry(Schedule.spaced("1 second")), Effect.orDie)
          if (submitted !== undefined) yield* reach(submitted.position)
          cells.cancel(requestId)
          return submitted ?? null
        })
      })
    })
  )
}

const isEnded = (
  cells: FundsCells.FundsCells,
  ended: RecordedEvent,
  submitted: RecordedEvent | undefined
): boolean => {
  try {
    if (submitted === undefined) return false
    cells.end(ended, submitted)
    return true
  } catch {
    return false
  }
}

const logUnreadable = ({ position, type }: RecordedEvent) =>
  Effect.logError("An event that moves money cannot be read; the funds of its account ignore it").pipe(
    Effect.annotateLogs({ position, type })
  )
