/** Runs the projections on the current file of the read models, and lets a finished copy take over. */
import { Deferred, Effect, Exit, Queue, Schedule, Scope, Semaphore } from "effect"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import { type Board, makeBoard, type Progress } from "../Progress.ts"
import type { Projection } from "../Projection.ts"
import { attempt, ReadModelError } from "../ReadModelError.ts"
import * as Generations from "../rebuild/Generations.ts"
import type { CopyRefused } from "../rebuild/RebuildError.ts"
import * as TakeOver from "../rebuild/TakeOver.ts"
import * as Damage from "./Damage.ts"
import type { WorkerStopped } from "../worker/WorkerThread.ts"

/** Why the runner cannot start. */
export type StartError = ReadModelError | EventStoreError | WorkerStopped

export interface Target {
  readonly filename: string
  readonly publish: (moved: ReadonlyArray<Progress>) => void
}

export interface ServingOptions {
  /** The file of the first generation (`Generations`). */
  readonly base: string
  readonly projections: ReadonlyArray<Projection>
  readonly run: (target: Target, reader: EventReader["Service"]) => Effect.Effect<never, StartError>
}

export interface Serving {
  /** The progress that readers of the current file see. */
  readonly board: Board
  readonly filename: Effect.Effect<string>
  readonly adopt: Effect.Effect<void, CopyRefused | StartError>
  /** If the file is the current one, it is set aside and rebuilt. */
  readonly reportDamage: (filename: string, reason: string) => void
}

const restarts = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

/** Returns when the runner has reported all projections for the first time. */
export const make = Effect.fnUntraced(function* ({
  base,
  projections,
  run
}: ServingOptions): Effect.fn.Return<Serving, StartError, EventReader | Scope.Scope> {
  const reader = yield* EventReader
  const scope = yield* Scope.Scope
  const board = makeBoard()
  let served = Generations.current(base)

  /** Only the runner of the served file publishes on `board`. Any other runner publishes on its own board. */
  const start = Effect.fnUntraced(function* (first: string) {
    let filename = first
    const own = makeBoard()
    /** The file that was set aside, until its replacement has its tables and readers may open it. */
    let damaged: string | null = null
    const publish: Target["publish"] = (moved) => {
      if (damaged === served) served = filename
      damaged = null
      return (filename === served ? board : own).publish(moved)
    }
    const lifetime = yield* Scope.fork(scope)
    const stop = Scope.close(lifetime, Exit.void)
    const damages = yield* Queue.sliding<Damaged>(1)
    const runOnce = (publish: Target["publish"]) =>
      Effect.suspend(() =>
        Effect.raceFirst(
          Effect.mapError(run({ filename, publish }, reader), (error) => damageOf(error, filename) ?? error),
          Effect.flatMap(Queue.take(damages), Effect.fail)
        )
      )
    /** The next run starts with an empty file. */
    const setAside = ({ reason }: Damaged) =>
      Effect.gen(function* () {
        const { next, to } = yield* attempt("A damaged file of read models cannot be renamed", () =>
          Generations.setAside(base, filename)
        )
        yield* Effect.logError(
          "A file of read models is damaged: it is set aside and built from the log"
        ).pipe(Effect.annotateLogs({ file: filename, reason, set_aside_as: to }))
        damaged ??= filename
        filename = next
      })
    yield* supervise({ publish, run: runOnce, setAside }).pipe(
      Scope.provide(lifetime),
      Effect.onError(() => stop)
    )
    return { filename: () => filename, board: own, stop, damages }
  })

  let current = yield* start(served)
  const removeOthers = Effect.sync(() => Generations.removeOthers(base, served))
  yield* removeOthers

  const takeOver = Effect.fnUntraced(function* (filename: string) {
    const old = current
    const next = yield* start(filename)
    yield* TakeOver.whenCaughtUp({
      from: old.filename(),
      to: filename,
      board: next.board,
      take: (states) => {
        current = next
        served = filename
        board.publish(states)
      }
    }).pipe(Effect.onExit(() => (current === next ? old.stop : next.stop)))
  })

  const mutex = yield* Semaphore.make(1)
  const adopt = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(TakeOver.promote(base, projections), (filename) =>
      Effect.ensuring(restore(takeOver(filename)), removeOthers)
    )
  )
  return {
    board,
    filename: Effect.sync(() => served),
    reportDamage: (filename, reason) => {
      if (filename === current.filename()) Queue.offerUnsafe(current.damages, new Damaged(reason))
    },
    adopt: Effect.withSpan(mutex.withPermits(1)(adopt), "Projections.adopt")
  }
})

/** The file is unusable. */
class Damaged {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

const damageOf = (error: StartError, filename: string): Damaged | undefined => {
  const reason = error._tag === "WorkerStopped" ? error.damage : Damage.of(error, filename)
  return reason === null ? undefined : new Damaged(reason)
}

/** The most files set aside in a row. After that, the cause is not the files. */
const maxSetAside = 3

interface Supervised {
  readonly publish: Target["publish"]
  readonly run: (publish: Target["publish"]) => Effect.Effect<never, StartError | Damaged>
  readonly setAside: (damage: Damaged) => Effect.Effect<void, ReadModelError>
}

/** Returns after the first report of the runner. A runner that ends later is restarted. */
const supervise = Effect.fnUntraced(function* ({ publish, run, setAside }: Supervised) {
  const ready = yield* Deferred.make<void, StartError>()
  let count = 0
  const publishAndReset: Target["publish"] = (moved) => {
    count = 0
    publish(moved)
    Deferred.doneUnsafe(ready, Effect.void)
  }
  const once: Effect.Effect<void, StartError> = Effect.catchIf(
    run(publishAndReset),
    (error) => error instanceof Damaged,
    (damage) =>
      count++ < maxSetAside
        ? setAside(damage)
        : Effect.fail(new ReadModelError({ reason: `Read models cannot be stored here: ${damage.reason}` }))
  )
  yield* Effect.forever(once).pipe(
    Effect.tapCause((cause) => Deferred.failCause(ready, cause)),
    Effect.tapCause((cause) => Effect.logError("The projections have ended and are started again", cause)),
    Effect.sandbox,
    Effect.retry(restarts),
    Effect.forkScoped
  )
  yield* Deferred.await(ready)
})
