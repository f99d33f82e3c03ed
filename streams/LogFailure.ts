/** Tells when the log takes no more appends for good: the process is then of no use, and is to be started again. */
import { Context, type Effect } from "effect"
import type { EventStoreError } from "./EventReader.ts"
import type { LogDiverged } from "./nats/LogDiverged.ts"

export class LogFailure extends Context.Service<
  LogFailure,
  {
    /** Fails when it is not known any more what is on the log (a failed fsync, another log); else it never ends. */
    readonly await: Effect.Effect<never, EventStoreError | LogDiverged>
  }
>()("inferlog/streams/LogFailure") {}
