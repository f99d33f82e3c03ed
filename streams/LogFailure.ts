/** Reports when the log permanently takes no more appends, so that the process must be restarted. */
import { Context, type Effect } from "effect"
import type { EventStoreError } from "./EventReader.ts"
import type { LogDiverged } from "./nats/LogDiverged.ts"

export class LogFailure extends Context.Service<
  LogFailure,
  {
    /** Fails when the content of the log is no longer known (a failed fsync, another log). Otherwise it never ends. */
    readonly await: Effect.Effect<never, EventStoreError | LogDiverged>
  }
>()("inferlog/streams/LogFailure") {}
