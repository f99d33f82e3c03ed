/**
 * What accounts may spend, on this node: strict here, while the overdraft across nodes is bounded by what the others submit
 * before this one has seen it (architecture, "Billing").
 */
import { Context, Effect, Layer, Schedule, Stream } from "effect"
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

/** How long a submit that would be refused, and a start, waits for the fold to pass what is on the log. */
const patience = "2 seconds"

export class Funds extends Context.Service<
  Funds,
  Pick<FundsCells.FundsCells, "of" | "ofKey" | "reserve" | "affords" | "cancel"> & {
    /** Whether the cells have reached what was on the log at the start: what they say before is of the past. */
    readonly isLevel: () => boolean
    /** Waits until they have, at most 2 s. */
    readonly levelled: Effect.Effect<void, ReadModelBehind>
    /**
     * Waits until everything is in the cells that was on the log when this began, at most 2 s: a refusal after it leaves
     * out no top-up and no end of a request that anybody was told of before.
     */
    readonly caughtUp: Effect.Effect<void>
    /**
     * For a reserve whose append failed, so that it may be on the log or come there yet: once that is over, takes it back
     * when it is not there. Tried until the log can be read. The first event of the request, which this node's funds have
     * passed then; `null` when there is none.
     */
    settle(requestId: RequestId): Effect.Effect<RecordedEvent | null>
  }
>()("inferlog/src/features/funds/Funds") {
  /** There when the cells have reached the head of the log, or after 2 s. They follow it from then on. */
  static readonly layer = Layer.effect(
    Funds,
    Effect.gen(function* () {
      const reader = yield* EventReader
      const { settled } = yield* EventStore
      const { state } = yield* Ledger
      const start = yield* state
      const cells = FundsCells.make(start)
      const reached = HeadSignal.make(start.position)

      /** All of them or, but for the ones that cannot be read, none: nobody comes in between. */
      const fold = (events: ReadonlyArray<RecordedEvent>) =>
        Effect.suspend(() => {
          const unreadable = events.filter((event) => !isFolded(cells, event))
          const last = events.at(-1)
          if (last !== undefined) reached.publish(last.position)
          return Effect.forEach(unreadable, logUnreadable, { discard: true })
        })

      const head = yield* reader.head
      const follow = Stream.suspend(() => reader.subscribe(reached.current())).pipe(
        Stream.runForEachArray(fold)
      )
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
        "What accounts may spend is read from the log: no requests are taken meanwhile"
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
          // Not by the head: where the log cannot be reached, it is what this node has last seen of it.
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

const isFolded = (cells: FundsCells.FundsCells, event: RecordedEvent): boolean => {
  try {
    cells.fold(event)
    return true
  } catch {
    return false
  }
}

const logUnreadable = ({ position, type }: RecordedEvent) =>
  Effect.logError(
    "An event that moves money cannot be read, and is left out of what its account may spend"
  ).pipe(Effect.annotateLogs({ position, type }))
