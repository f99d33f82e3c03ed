/**
 * A fresh copy of the read models, built from the log beside the file in use: by another process than the server's, which
 * goes on with its own. It is durable and whole when it is finished, so that it may be verified before it takes over.
 */
import * as fs from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { type Array, Effect, Order, type Scope, Stream } from "effect"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import type { Projection } from "../Projection.ts"
import type { ReadModelError } from "../ReadModelError.ts"
import * as Checkpoints from "../runner/Checkpoints.ts"
import { type Group, makeApply } from "../runner/Group.ts"
import * as Groups from "../runner/Groups.ts"
import * as Start from "../runner/Start.ts"
import * as CopyUnchanged from "./CopyUnchanged.ts"
import { attempt, notApplicable, unwritten } from "./CopyFile.ts"
import * as CopyFile from "./CopyFile.ts"
import * as CopyMark from "./CopyMark.ts"
import * as Generations from "./Generations.ts"
import type { NotApplicable, RebuildUnderWay } from "./RebuildError.ts"

export interface CopyOptions {
  /** Of the first generation (`Generations`). */
  readonly base: string
  /** All that the file holds. */
  readonly projections: ReadonlyArray<Projection>
  /** Those to build anew; the others are taken over as they are. */
  readonly names: ReadonlyArray<string>
}

export type CopyError = ReadModelError | EventStoreError | NotApplicable

export interface Copy {
  /**
   * Applies the log until fewer than a page of events is left to do. `onProgress` is called after each page with the
   * number of events read so far, which is also the result.
   */
  catchUp(onProgress?: (events: number) => Effect.Effect<void>): Effect.Effect<number, CopyError>
  /** Closes the file and makes it durable. Nothing can be applied any more. */
  readonly finish: Effect.Effect<void, ReadModelError>
}

/** Events that are left to whoever goes on with the copy. */
const nearby = 512

/** The copy is removed with the scope, unless it was given another name by then; so is what an earlier rebuild left. */
export const open = Effect.fn("Copy.open")(function* ({
  base,
  projections,
  names
}: CopyOptions): Effect.fn.Return<Copy, CopyError | RebuildUnderWay, EventReader | Scope.Scope> {
  const reader = yield* EventReader
  const db = yield* CopyFile.open(base, names)
  const checkpoints = yield* attempt(() => Checkpoints.make(db))
  yield* attempt(() => {
    const others = projections.filter(({ name }) => !names.includes(name))
    CopyUnchanged.run(db, Generations.current(base), others)
  })
  const start = yield* Start.prepare({ db, checkpoints, reader, projections }).pipe(
    Effect.catchTag("ReadModelError", ({ cause }) => unwritten(cause))
  )
  const groups = Groups.make(start, makeApply(db, checkpoints))
  const active = new Set(start)
  let read = 0

  const advance = Effect.fnUntraced(function* (
    group: Group,
    events: Array.NonEmptyReadonlyArray<RecordedEvent>
  ) {
    const { failures, goesOn } = yield* attempt(() => groups.advance(group, events))
    // One that is taken over may have stopped before an event in the file in use as well.
    const failure = failures.find(({ member }) => names.includes(member.name))
    if (failure !== undefined) return yield* notApplicable(failure)
    if (!goesOn) active.delete(group)
    read += events.length
    yield* Effect.yieldNow
    return goesOn
  })

  const catchUp: Copy["catchUp"] = Effect.fn("Copy.catchUp")(function* (onProgress = () => Effect.void) {
    let done = Infinity
    while (done >= nearby) {
      const before = read
      for (const group of [...active].sort(byPosition)) {
        yield* reader.readAll(group.checkpoint.position).pipe(
          Stream.chunks,
          Stream.runForEachWhile((events) => Effect.tap(advance(group, events), () => onProgress(read)))
        )
      }
      done = read - before
    }
    return read
  })

  const finish = Effect.andThen(
    attempt(() => {
      CopyMark.clear(db)
      closeWhole(db)
    }),
    attempt(() => sync(Generations.copyOf(base)))
  )

  return { catchUp, finish }
})

const byPosition = Order.mapInput(GlobalPosition.order, ({ checkpoint }: Group) => checkpoint.position)

/** Without a journal that would have to go with the file. */
const closeWhole = (db: DatabaseSync) => {
  const { busy } = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {}
  if (busy !== 0) throw new Error("The copy is in use by another program")
  db.close()
}

const sync = (filename: string) => {
  const descriptor = fs.openSync(filename, "r+")
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
