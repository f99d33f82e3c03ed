/** Whether a server holds the data directory, or this command may. */
import { Effect, Option, Schedule } from "effect"
import * as AdminClient from "#src/edges/admin/AdminClient.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as DataLock from "#streams/DataLock.ts"

/**
 * The way to the running server; none when there is none, and then the directory is locked until the scope ends. A server
 * that starts or stops is waited for, at most 5 s.
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
