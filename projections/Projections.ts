/**
 * The read side of one node: keeps its runner going, and tells readers how far the read models are. After
 * `waitFor(head)` a list shows whatever its client has seen (architecture, "What a reader sees").
 */
import { Context, type Duration, Effect, Layer, Stream } from "effect"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { allProjections } from "./AllProjections.ts"
import type { Board, ProjectionState } from "./Progress.ts"
import type { Projection } from "./Projection.ts"
import { ReadModelBehind } from "./ReadModelError.ts"
import type { CopyRefused } from "./rebuild/RebuildError.ts"
import * as Runner from "./Runner.ts"
import * as Serving from "./runner/Serving.ts"
import type { Log } from "./worker/Protocol.ts"
import * as WorkerThread from "./worker/WorkerThread.ts"

/** How long a reader waits for a read model before it takes what is there. */
const patience: Duration.Input = "2 seconds"

export type StartError = Serving.StartError

export class Projections extends Context.Service<
  Projections,
  {
    /**
     * The SQLite file of the read models, which is another one after a rebuild. Their tables exist as long as this service
     * does. To be asked for each time before it is read: a new file shows at least what the one before did.
     */
    readonly filename: Effect.Effect<string>
    /**
     * Waits until the projection has applied the event at `position`, at most `timeout` (2 s). False when it has not: it
     * lags, has stopped, or there is no such projection. The reader then goes on with the rows there are.
     */
    waitFor(
      position: GlobalPosition.GlobalPosition,
      options: { readonly projection: string; readonly timeout?: Duration.Input }
    ): Effect.Effect<boolean>
    /**
     * Waits as `waitFor` does for what is on the log when this begins: whatever a client has seen, the projection's lists
     * show. False when they may not.
     */
    caughtUp(projection: string): Effect.Effect<boolean, EventStoreError>
    /** As `caughtUp`, for lists that show all of it or nothing. */
    current(projection: string): Effect.Effect<void, ReadModelBehind | EventStoreError>
    /** Where each projection stands. */
    readonly states: Effect.Effect<ReadonlyMap<string, ProjectionState>>
    /** For readers that find the file damaged: it is set aside, and built anew from the log. Ignored for one that is not in use. */
    readonly reportDamage: (filename: string, reason: string) => void
    /**
     * Lets a finished copy (`rebuild/Copy`) take over: from one step to the next readers see its rows, all of them. When it
     * fails or is interrupted before, everything stays as it was. Killed at any moment, the next start finds a whole file.
     */
    readonly adopt: Effect.Effect<void, CopyRefused | StartError>
    /** The projection's position now and each time it has moved, coalesced: a slow reader sees the newest only. */
    changes(projection: string): Stream.Stream<GlobalPosition.GlobalPosition>
  }
>()("inferlog/projections/Projections") {
  /**
   * Runs the projections in a thread of their own, which is started again when it ends. `filename` is of the first
   * generation (`rebuild/Generations`), here and below; `entry` another program for the thread.
   */
  static readonly layer = ({
    filename,
    log,
    entry = new URL("./worker.ts", import.meta.url)
  }: {
    readonly filename: string
    readonly log: Log
    readonly entry?: URL
  }): Layer.Layer<Projections, StartError, EventReader> =>
    serving({
      base: filename,
      projections: allProjections,
      run: ({ filename, publish }, reader) =>
        WorkerThread.run({ entry, data: { filename, log }, reader, publish })
    })

  /** Runs the projections on the calling thread, between its other work. */
  static readonly layerInProcess = ({
    filename,
    projections = allProjections
  }: {
    readonly filename: string
    readonly projections?: ReadonlyArray<Projection>
  }): Layer.Layer<Projections, StartError, EventReader> =>
    serving({
      base: filename,
      projections,
      run: (target, reader) =>
        Runner.run({ ...target, projections }).pipe(Effect.provideService(EventReader, reader), Effect.scoped)
    })
}

const serving = (options: Serving.ServingOptions): Layer.Layer<Projections, StartError, EventReader> =>
  Layer.effect(
    Projections,
    Effect.gen(function* () {
      const { head } = yield* EventReader
      const { board, ...serving } = yield* Serving.make(options)
      const progress = reading(board)
      const caughtUp = (projection: string) =>
        Effect.flatMap(head, (position) => progress.waitFor(position, { projection }))
      return Projections.of({
        ...serving,
        ...progress,
        caughtUp,
        current: (projection) =>
          Effect.flatMap(caughtUp(projection), (isCurrent) =>
            isCurrent ? Effect.void : Effect.fail(new ReadModelBehind({ projection }))
          )
      })
    })
  )

const reading = (board: Board): Pick<Projections["Service"], "states" | "waitFor" | "changes"> => ({
  states: Effect.sync(board.states),
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
