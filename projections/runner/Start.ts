/** Decides where each projection continues at the start. */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Option, Stream } from "effect"
import type { EventReader, EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { Projection } from "../Projection.ts"
import { attempt, type ReadModelError } from "../ReadModelError.ts"
import * as FastForward from "./FastForward.ts"
import type { Checkpoint, Checkpoints } from "./Checkpoints.ts"
import type { Group } from "./Group.ts"
import * as Member from "./Member.ts"

const reason = "The tables of a read model cannot be prepared"

/** Recreates missing and outdated tables, and groups the projections by checkpoint. */
export const prepare = Effect.fnUntraced(function* (options: {
  readonly db: DatabaseSync
  readonly checkpoints: Checkpoints
  readonly reader: EventReader["Service"]
  readonly projections: ReadonlyArray<Projection>
}) {
  const { db, checkpoints, reader, projections } = options
  const groups = new Map<GlobalPosition.GlobalPosition, Group>()
  for (const projection of projections) {
    const found = yield* attempt(reason, () => checkpoints.read(projection))
    const current = found !== undefined && (yield* isOnLog(reader, found)) ? found : undefined
    if (current === undefined) yield* rebuild(checkpoints, projection)
    const member = yield* attempt(reason, () => Member.open(projection, db))
    const checkpoint = current ?? (yield* FastForward.run({ db, checkpoints, reader }, projection, member))
    const peers = groups.get(checkpoint.position)?.members ?? []
    groups.set(checkpoint.position, { members: [...peers, member], checkpoint })
  }
  return [...groups.values()]
})

const rebuild = (
  checkpoints: Checkpoints,
  projection: Projection
): Effect.Effect<Checkpoint, ReadModelError> =>
  Effect.logInfo("A read model is built from the beginning of the log").pipe(
    Effect.annotateLogs({ projection: projection.name, version: projection.version }),
    Effect.andThen(attempt(reason, () => checkpoints.rebuild(projection)))
  )

/**
 * Whether the log still has the event of the checkpoint at the same position. It does not if the log was replaced or
 * restored from an older copy.
 */
const isOnLog = (
  reader: EventReader["Service"],
  { position, previous, hash }: Checkpoint
): Effect.Effect<boolean, EventStoreError> =>
  position === GlobalPosition.beginning
    ? Effect.succeed(true)
    : Effect.map(
        reader.readAll(previous).pipe(
          Stream.dropWhile((event) => GlobalPosition.order(event.position, position) < 0),
          Stream.runHead
        ),
        Option.exists((event) => event.position === position && event.hash === hash)
      )
