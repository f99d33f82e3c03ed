/**
 * The fact that a restore writes the log: set before its first event and removed after its last one, so that no node takes a
 * part of a log for the whole.
 */
import { Effect, Schedule, Schema } from "effect"
import { ClusterFacts, ClusterFactsError } from "./ClusterFacts.ts"

/** A restore into the log did not reach its end. */
export class LogRestoreUnfinished extends Schema.TaggedError<LogRestoreUnfinished>()(
  "LogRestoreUnfinished",
  {}
) {
  override readonly message =
    "A restore into this log is under way or was interrupted: run inferlog restore again, which continues"
}

const key = "restore"

/** How long the servers may have no leader. */
const patience = {
  schedule: Schedule.spaced("500 millis"),
  times: 20,
  while: (error: unknown) => error instanceof ClusterFactsError
}

const read = Effect.gen(function* () {
  const { getFact } = yield* ClusterFacts
  const found = yield* getFact(key)
  return { isSet: (found?.value ?? null) !== null, revision: found?.revision ?? null }
}).pipe(Effect.retry(patience))

export const isSet = Effect.map(read, ({ isSet }) => isSet)

/** For the start of a node. */
export const check = Effect.flatMap(isSet, (isSet) =>
  isSet ? Effect.fail(new LogRestoreUnfinished()) : Effect.void
)

const write = (value: true | null) =>
  Effect.gen(function* () {
    const { putFact } = yield* ClusterFacts
    const { isSet, revision } = yield* read
    if (isSet !== (value === true)) yield* putFact(key, value, revision)
  }).pipe(Effect.retry(patience))

export const set = write(true)

export const clear = write(null)
