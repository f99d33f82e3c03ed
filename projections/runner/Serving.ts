/** Keeps a runner going on the current file of the read models, and lets a finished copy take over from it. */
import { Deferred, Effect, Exit, Schedule, Scope, Semaphore } from "effect"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import { type Board, makeBoard, type Progress } from "../Progress.ts"
import type { Projection } from "../Projection.ts"
import type { ReadModelError } from "../ReadModelError.ts"
import * as Generations from "../rebuild/Generations.ts"
import type { CopyRefused } from "../rebuild/RebuildError.ts"
import * as TakeOver from "../rebuild/TakeOver.ts"
import type { WorkerStopped } from "../worker/WorkerThread.ts"

/** The runner cannot start. */
export type StartError = ReadModelError | EventStoreError | WorkerStopped

export interface Target {
  readonly filename: string
  readonly publish: (moved: ReadonlyArray<Progress>) => void
}

export interface ServingOptions {
  /** File of the first generation (`Generations`). */
  readonly base: string
  readonly projections: ReadonlyArray<Projection>
  readonly run: (target: Target, reader: EventReader["Service"]) => Effect.Effect<never, StartError>
}

export interface Serving {
  /** What readers of the current file go by. */
  readonly board: Board
  readonly filename: Effect.Effect<string>
  readonly adopt: Effect.Effect<void, CopyRefused | StartError>
}

const restarts = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

/** Ready when the runner has said where every projection stands. */
export const make = Effect.fnUntraced(function* ({
  base,
  projections,
  run
}: ServingOptions): Effect.fn.Return<Serving, StartError, EventReader | Scope.Scope> {
  const reader = yield* EventReader
  const scope = yield* Scope.Scope
  const board = makeBoard()
  let served = Generations.current(base)

  /** Only the runner of the served file is heard on `board`; another one on its own, before and after. */
  const start = Effect.fnUntraced(function* (filename: string) {
    const own = makeBoard()
    const publish: Target["publish"] = (moved) => (filename === served ? board : own).publish(moved)
    const lifetime = yield* Scope.fork(scope)
    const stop = Scope.close(lifetime, Exit.void)
    yield* supervise({ filename, publish }, (target) => run(target, reader)).pipe(
      Scope.provide(lifetime),
      Effect.onError(() => stop)
    )
    return { filename, board: own, stop }
  })

  let current = yield* start(served)
  const removeOthers = Effect.sync(() => Generations.removeOthers(base, served))
  yield* removeOthers

  const takeOver = Effect.fnUntraced(function* (filename: string) {
    const old = current
    const next = yield* start(filename)
    yield* TakeOver.whenLevel({
      from: old.filename,
      to: filename,
      board: next.board,
      take: (standings) => {
        current = next
        served = filename
        board.publish(standings)
      }
    }).pipe(Effect.onExit(() => (current === next ? old.stop : next.stop)))
  })

  const one = yield* Semaphore.make(1)
  const adopt = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(TakeOver.promote(base, projections), (filename) =>
      Effect.ensuring(restore(takeOver(filename)), removeOthers)
    )
  )
  return {
    board,
    filename: Effect.sync(() => served),
    adopt: Effect.withSpan(one.withPermits(1)(adopt), "Projections.adopt")
  }
})

/** Goes on when the runner has spoken for the first time. One that ends later is started again. */
const supervise = Effect.fnUntraced(function* (
  { filename, publish }: Target,
  run: (target: Target) => Effect.Effect<never, StartError>
) {
  const ready = yield* Deferred.make<void, StartError>()
  const target: Target = {
    filename,
    publish: (moved) => {
      publish(moved)
      Deferred.doneUnsafe(ready, Effect.void)
    }
  }
  yield* run(target).pipe(
    Effect.tapCause((cause) => Deferred.failCause(ready, cause)),
    Effect.tapCause((cause) => Effect.logError("The projections have ended and are started again", cause)),
    Effect.sandbox,
    Effect.retry(restarts),
    Effect.forkScoped
  )
  yield* Deferred.await(ready)
})
