/** Tells when the log takes no more appends for good: the process is then of no use, and is to be started again. */
import { Context, type Effect } from "effect"
import type { EventStoreError } from "./EventReader.ts"

export class LogFailure extends Context.Service<
  LogFailure,
  {
    /** Fails when nobody knows any more what is on disk (a failed fsync); else it never ends. */
    readonly await: Effect.Effect<never, EventStoreError>
  }
>()("inferlog/streams/LogFailure") {}
