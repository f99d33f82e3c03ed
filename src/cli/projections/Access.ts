/** Access to the data directory: through the running server, or with the lock. */
import { Effect, Option, Schedule } from "effect"
import * as AdminClient from "#src/edges/admin/AdminClient.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as DataLock from "#streams/DataLock.ts"

/**
 * The client of the running server. None when no server runs; then the directory is locked until the scope ends. Waits
 * up to 5 s for a server that is starting or stopping.
 */
export const open = Effect.gen(function* () {
  const isFree = yield* DataLock.acquire(yield* DataDirectory).pipe(
    Effect.as(true),
    Effect.catchTag("DataDirectoryLocked", () => Effect.succeed(false))
  )
  return isFree ? Option.none() : Option.some(yield* AdminClient.open)
}).pipe(
  Effect.retry({
    schedule: Schedule.spaced("100 millis"),
    times: 50,
    while: ({ _tag }) => _tag === "ServerUnreachable"
  })
)
