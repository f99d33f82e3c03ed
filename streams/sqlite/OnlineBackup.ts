/** Copies a SQLite file as of one moment while others write it. */
import { backup, type DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import * as Database from "./Database.ts"

/**
 * Pages per step, about 4 MB. A pool thread copies each step in a few ms between turns of this thread. The finished copy is
 * synced and needs no journal.
 */
const pagesPerStep = 1_000

interface Options<A, E> {
  readonly source: string
  /** Must not exist. */
  readonly target: string
  /** Reads from the frozen source. */
  readonly read: (db: DatabaseSync) => A
  readonly failure: (cause: unknown) => E
}

/**
 * Copies `source` to `target`. A read transaction freezes the source: without it, SQLite restarts whenever another connection
 * writes, and never finishes under load. Until it ends, the source's journal only grows.
 */
export const make = <A, E>({ failure, read, source, target }: Options<A, E>): Effect.Effect<A, E> => {
  const attempt = <B>(run: () => B): Effect.Effect<B, E> => Effect.try({ try: run, catch: failure })
  return Effect.acquireUseRelease(
    attempt(() => Database.open({ filename: source, readOnly: true, synchronous: "NORMAL" })),
    (db) =>
      Effect.gen(function* () {
        yield* attempt(() => db.exec("BEGIN"))
        const found = yield* attempt(() => read(db))
        yield* copy(db, target, failure)
        return found
      }),
    (db) => Effect.sync(() => db.close())
  )
}

/** An interruption takes effect after the current step. The connection must stay open until then. */
const copy = <E>(db: DatabaseSync, target: string, failure: (cause: unknown) => E): Effect.Effect<void, E> =>
  Effect.callback((resume) => {
    let isActive = true
    const copying = backup(db, target, {
      rate: pagesPerStep,
      progress: () => {
        if (!isActive) throw new Error("interrupted")
      }
    }).then(
      () => resume(Effect.void),
      (cause) => resume(Effect.fail(failure(cause)))
    )
    return Effect.promise(() => {
      isActive = false
      return copying
    })
  })
