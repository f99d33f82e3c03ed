/**
 * A new copy of the read models, built from the log beside the file in use. Another process than the server builds it, and
 * the server continues. A finished copy is durable and complete, so it can be verified before it takes over.
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
  /** The file of the first generation (`Generations`). */
  readonly base: string
  /** All projections of the file. */
  readonly projections: ReadonlyArray<Projection>
  /** Projections to rebuild. The others are copied unchanged. */
  readonly names: ReadonlyArray<string>
}

export type CopyError = ReadModelError | EventStoreError | NotApplicable

export interface Copy {
  /**
   * Applies the log until fewer than a page of events remains. Calls `onProgress` after each page with the number of events
   * read so far, which is also the result.
   */
  catchUp(onProgress?: (events: number) => Effect.Effect<void>): Effect.Effect<number, CopyError>
  /** Makes the file durable and closes it. Nothing can be applied after that. */
  readonly finish: Effect.Effect<void, ReadModelError>
}

/** The copy is caught up when a pass reads fewer events than this. */
const caughtUpWithin = 512

/** Opens a copy. It is removed with the scope unless it was renamed by then. Leftovers of a previous rebuild are removed. */
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
    const { failures, continues } = yield* attempt(() => groups.advance(group, events))
    // A projection that is copied unchanged may have stopped in the file in use, too.
    const failure = failures.find(({ member }) => names.includes(member.name))
    if (failure !== undefined) return yield* notApplicable(failure)
    if (!continues) active.delete(group)
    read += events.length
    yield* Effect.yieldNow
    return continues
  })

  const catchUp: Copy["catchUp"] = Effect.fn("Copy.catchUp")(function* (onProgress = () => Effect.void) {
    let done = Infinity
    while (done >= caughtUpWithin) {
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

/** Closes the file without a journal, which would have to be renamed with it. */
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
