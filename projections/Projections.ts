/**
 * The read side of one node: keeps its runner going, and tells readers how far the read models are. After
 * `waitFor(head)` a list shows whatever its client has seen (architecture, "What a reader sees").
 */
import { Context, Deferred, type Duration, Effect, Layer, Schedule, Stream } from "effect"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { allProjections } from "./AllProjections.ts"
import { type Board, makeBoard, type Progress, type Standing } from "./Progress.ts"
import type { Projection } from "./Projection.ts"
import type { ReadModelError } from "./ReadModelError.ts"
import * as Runner from "./Runner.ts"
import type { Log } from "./worker/Protocol.ts"
import * as WorkerThread from "./worker/WorkerThread.ts"

/** How long a reader waits for a read model before it takes what is there. */
const patience: Duration.Input = "2 seconds"

const restarts = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

/** The runner cannot start. */
export type StartError = ReadModelError | EventStoreError | WorkerThread.WorkerStopped

export class Projections extends Context.Service<
  Projections,
  {
    /** The SQLite file of the read models. Their tables exist as long as this service does. */
    readonly filename: string
    /**
     * Waits until the projection has applied the event at `position`, at most `timeout` (2 s). False when it has not: it
     * lags, has stopped, or there is no such projection. The reader then goes on with the rows there are.
     */
    waitFor(
      position: GlobalPosition.GlobalPosition,
      options: { readonly projection: string; readonly timeout?: Duration.Input }
    ): Effect.Effect<boolean>
    /** Where each projection stands. */
    readonly standings: Effect.Effect<ReadonlyMap<string, Standing>>
    /** The projection's position now and each time it has moved, coalesced: a slow reader sees the newest only. */
    changes(projection: string): Stream.Stream<GlobalPosition.GlobalPosition>
  }
>()("inferlog/projections/Projections") {
  /** Runs the projections in a thread of their own, which is started again when it ends. `entry`: another program for it. */
  static readonly layer = (options: {
    readonly filename: string
    readonly log: Log
    readonly entry?: URL
  }): Layer.Layer<Projections, StartError, EventReader> =>
    supervised(options.filename, (publish, reader) =>
      WorkerThread.run({
        entry: options.entry ?? new URL("./worker.ts", import.meta.url),
        data: { filename: options.filename, log: options.log },
        reader,
        publish
      })
    )

  /** Runs the projections on the calling thread, between its other work. */
  static readonly layerInProcess = (options: {
    readonly filename: string
    readonly projections?: ReadonlyArray<Projection>
  }): Layer.Layer<Projections, StartError, EventReader> =>
    supervised(options.filename, (publish, reader) =>
      Runner.run({
        filename: options.filename,
        projections: options.projections ?? allProjections,
        publish
      }).pipe(Effect.provideService(EventReader, reader), Effect.scoped)
    )
}

/** Ready when the runner has said where every projection stands. A runner that ends later is started again. */
const supervised = (
  filename: string,
  runner: (
    publish: (moved: ReadonlyArray<Progress>) => void,
    reader: EventReader["Service"]
  ) => Effect.Effect<never, StartError>
): Layer.Layer<Projections, StartError, EventReader> =>
  Layer.effect(
    Projections,
    Effect.gen(function* () {
      const reader = yield* EventReader
      const board = makeBoard()
      const ready = yield* Deferred.make<void, StartError>()
      const publish = (moved: ReadonlyArray<Progress>) => {
        board.publish(moved)
        Deferred.doneUnsafe(ready, Effect.void)
      }
      yield* runner(publish, reader).pipe(
        Effect.tapCause((cause) => Deferred.failCause(ready, cause)),
        Effect.tapCause((cause) =>
          Effect.logError("The projections have ended and are started again", cause)
        ),
        Effect.sandbox,
        Effect.retry(restarts),
        Effect.forkScoped
      )
      yield* Deferred.await(ready)
      return Projections.of({ filename, ...reading(board) })
    })
  )

const reading = (board: Board): Omit<Projections["Service"], "filename"> => ({
  standings: Effect.sync(board.standings),
  waitFor: (position, { projection, timeout = patience }) =>
    board
      .until(projection, (now) => now.stopped || GlobalPosition.isReached(position, now.position))
      .pipe(
        Effect.map((now) => now !== undefined && GlobalPosition.isReached(position, now.position)),
        Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeed(false) })
      ),
  changes: (projection) =>
    Stream.fromPull(
      Effect.sync(() => {
        let seen: GlobalPosition.GlobalPosition | undefined
        return board
          .until(projection, (now) => now.position !== seen)
          .pipe(
            Effect.flatMap((now) => (now === undefined ? Effect.never : Effect.succeed(now.position))),
            Effect.tap((position) => Effect.sync(() => (seen = position))),
            Effect.map((position) => [position] as const)
          )
      })
    )
})
