/** Keeps a runner going on the current file of the read models, and lets a finished copy take over from it. */
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
  /** The file is set aside and built anew, when it is the current one. */
  readonly reportDamage: (filename: string, reason: string) => void
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
  const start = Effect.fnUntraced(function* (first: string) {
    let filename = first
    const own = makeBoard()
    /** The file that was set aside, until the one in its place has its tables: readers may open that then. */
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
    /** The next run begins with an empty file. */
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

  const one = yield* Semaphore.make(1)
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
    adopt: Effect.withSpan(one.withPermits(1)(adopt), "Projections.adopt")
  }
})

/** The file is of no use any more. */
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

/** Files that are set aside one after the other before one of them could be used: then it is not the files. */
const mostSetAside = 3

interface Supervised {
  readonly publish: Target["publish"]
  readonly run: (publish: Target["publish"]) => Effect.Effect<never, StartError | Damaged>
  readonly setAside: (damage: Damaged) => Effect.Effect<void, ReadModelError>
}

/** Goes on when the runner has spoken for the first time. One that ends later is started again. */
const supervise = Effect.fnUntraced(function* ({ publish, run, setAside }: Supervised) {
  const ready = yield* Deferred.make<void, StartError>()
  let count = 0
  const heard: Target["publish"] = (moved) => {
    count = 0
    publish(moved)
    Deferred.doneUnsafe(ready, Effect.void)
  }
  const once: Effect.Effect<void, StartError> = Effect.catchIf(
    run(heard),
    (error) => error instanceof Damaged,
    (damage) =>
      count++ < mostSetAside
        ? setAside(damage)
        : Effect.fail(new ReadModelError({ reason: `Read models cannot be kept here: ${damage.reason}` }))
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
