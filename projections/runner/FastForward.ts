/**
 * Builds a projection whose events are in few streams without reading the whole log. Applies the events of its categories
 * and sets the checkpoint to the head, in one transaction.
 */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Stream } from "effect"
import type { EventReader, EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import type { Projection } from "../Projection.ts"
import { attempt, type ReadModelError } from "../ReadModelError.ts"
import { type Checkpoint, type Checkpoints, start } from "./Checkpoints.ts"
import type { Member } from "./Member.ts"

const reason = "A read model cannot be built from its streams"

/** The checkpoint of a log read up to `head`. */
const checkpointAt = (
  reader: EventReader["Service"],
  head: GlobalPosition.GlobalPosition
): Effect.Effect<Checkpoint, EventStoreError> =>
  reader.readAll(reader.stepBack(head, 2)).pipe(
    Stream.takeWhile(({ position }) => GlobalPosition.isReached(position, head)),
    Stream.runFold(
      () => start,
      (before, { hash, position }) => ({ position, previous: before.position, hash })
    )
  )

export interface FastForward {
  readonly db: DatabaseSync
  readonly checkpoints: Checkpoints
  readonly reader: EventReader["Service"]
}

/**
 * Builds a projection with empty tables and returns its checkpoint: the head, or the beginning when the log cannot find
 * events by category or one of them cannot be applied.
 */
export const run = (
  { checkpoints, db, reader }: FastForward,
  { categories, name }: Projection,
  member: Member
): Effect.Effect<Checkpoint, ReadModelError | EventStoreError> => {
  const { readCategories } = reader
  if (categories === undefined || readCategories === undefined) return Effect.succeed(start)
  const exec = (sql: string) => attempt(reason, () => db.exec(sql))

  const apply = (events: ReadonlyArray<RecordedEvent>) =>
    attempt(reason, () => {
      for (const event of events) member.rules.get(event.type)?.(event)
      for (const buffer of member.buffers) buffer.write()
    })

  const build = Effect.gen(function* () {
    const head = yield* reader.head
    if (head === GlobalPosition.beginning) return start
    yield* exec("BEGIN IMMEDIATE")
    yield* Stream.runForEachArray(readCategories(categories, head), apply)
    const checkpoint = yield* checkpointAt(reader, head)
    yield* attempt(reason, () => checkpoints.write(name, checkpoint))
    yield* exec("COMMIT")
    return checkpoint
  })
  // On failure, the runner applies the log from the beginning and reports the event.
  return build.pipe(
    Effect.onError(() =>
      Effect.sync(() => {
        for (const buffer of member.buffers) buffer.forget()
        if (db.isTransaction) db.exec("ROLLBACK")
      })
    ),
    Effect.catchTag("ReadModelError", () => Effect.succeed(start))
  )
}
