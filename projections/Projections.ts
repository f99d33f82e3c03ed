/**
 * The read side of a node: runs the projections and reports their progress. After `waitFor(head)`, a list includes
 * everything that its client has seen (architecture, "What a reader sees").
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
import * as EarlyThread from "./worker/EarlyThread.ts"
import type { Log } from "./worker/Protocol.ts"
import * as WaitingReaders from "./worker/WaitingReaders.ts"
import * as WorkerThread from "./worker/WorkerThread.ts"

/** How long a reader waits for a read model before it uses the current rows. */
const defaultTimeout: Duration.Input = "2 seconds"

export type StartError = Serving.StartError

export class Projections extends Context.Service<
  Projections,
  {
    /**
     * The SQLite file of the read models. Its tables exist. A rebuild replaces the file, so read this before each use; a new
     * file is never behind the previous one.
     */
    readonly filename: Effect.Effect<string>
    /**
     * Waits until the projection has applied the event at `position`, for at most `timeout` (2 s). False when it lags, has
     * stopped or does not exist. The reader then uses the current rows.
     */
    waitFor(
      position: GlobalPosition.GlobalPosition,
      options: { readonly projection: string; readonly timeout?: Duration.Input }
    ): Effect.Effect<boolean>
    /**
     * Waits like `waitFor` for the current end of the log, so that lists include everything that a client has seen. False
     * when they may not.
     */
    caughtUp(projection: string): Effect.Effect<boolean, EventStoreError>
    /** Like `caughtUp`, for lists that must be complete. Fails when they may not be. */
    current(projection: string): Effect.Effect<void, ReadModelBehind | EventStoreError>
    /** The state of each projection. */
    readonly states: Effect.Effect<ReadonlyMap<string, ProjectionState>>
    /** Reports that a file is damaged. It is set aside and rebuilt from the log. Ignored when the file is not in use. */
    readonly reportDamage: (filename: string, reason: string) => void
    /**
     * Replaces the file by a finished copy (`rebuild/Copy`). Readers switch in one step, and the copy is never behind the
     * previous file. If it fails or is interrupted before, nothing changes. After a crash at any moment, the next start
     * finds a complete file.
     */
    readonly adopt: Effect.Effect<void, CopyRefused | StartError>
    /** The projection's position now and after each change. A slow reader gets only the latest one. */
    changes(projection: string): Stream.Stream<GlobalPosition.GlobalPosition>
  }
>()("inferlog/projections/Projections") {
  /**
   * Runs the projections in a thread of their own, which is restarted when it ends. `filename` is the first generation's
   * (`rebuild/Generations`), here and below. `entry` replaces the thread's program.
   */
  static readonly layer = ({
    filename,
    log,
    entry = EarlyThread.entry
  }: {
    readonly filename: string
    readonly log: Log
    readonly entry?: URL
  }): Layer.Layer<Projections, StartError, EventReader> => {
    const waiting = WaitingReaders.make()
    return serving({
      base: filename,
      projections: allProjections,
      run: ({ filename, publish }, reader) =>
        WorkerThread.run({ entry, data: { filename, log }, reader, publish, waiting }),
      onWait: waiting.tell
    })
  }

  /** Runs the projections on the calling thread. */
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

const serving = ({
  onWait,
  ...options
}: Serving.ServingOptions & { readonly onWait?: () => void }): Layer.Layer<
  Projections,
  StartError,
  EventReader
> =>
  Layer.effect(
    Projections,
    Effect.gen(function* () {
      const { head } = yield* EventReader
      const { board, ...serving } = yield* Serving.make(options)
      const progress = reading(board, onWait)
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

const reading = (
  board: Board,
  onWait: (() => void) | undefined
): Pick<Projections["Service"], "states" | "waitFor" | "changes"> => ({
  states: Effect.sync(board.states),
  waitFor: (position, { projection, timeout = defaultTimeout }) =>
    board
      .until(projection, (now) => now.stopped || GlobalPosition.isReached(position, now.position), onWait)
      .pipe(
        Effect.map((now) => now !== undefined && GlobalPosition.isReached(position, now.position)),
        Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeed(false) })
      ),
  changes: (projection) =>
    Stream.fromPull(
      Effect.sync(() => {
        let lastEmitted: GlobalPosition.GlobalPosition | undefined
        return board
          .until(projection, (now) => now.position !== lastEmitted)
          .pipe(
            Effect.flatMap((now) => (now === undefined ? Effect.never : Effect.succeed(now.position))),
            Effect.tap((position) => Effect.sync(() => (lastEmitted = position))),
            Effect.map((position) => [position] as const)
          )
      })
    )
})
