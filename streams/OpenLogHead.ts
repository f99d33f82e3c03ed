/** `log.head` as a log that is in use keeps it: synced at most once a second, and when it is closed. */
import { Effect, Schedule, type Scope } from "effect"
import * as LogHead from "./LogHead.ts"
import { LogUnavailable } from "./LogUnavailable.ts"

export const open = (filename: string): Effect.Effect<LogHead.LogHead, LogUnavailable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => LogHead.open(filename),
      catch: (cause) => new LogUnavailable({ reason: `${filename} cannot be opened`, cause })
    }),
    (head) => Effect.sync(() => head.close())
  ).pipe(
    Effect.tap((head) =>
      Effect.suspend(() => (head.isDirty() ? Effect.tryPromise(() => head.sync()) : Effect.void)).pipe(
        Effect.catchCause((cause) => Effect.logError("log.head cannot be synced", cause)),
        Effect.repeat(Schedule.spaced("1 second")),
        Effect.forkScoped
      )
    )
  )

/** What it says, the newest last: at most two heads, some moments apart. */
export const slots = (filename: string): Effect.Effect<ReadonlyArray<LogHead.Head>, LogUnavailable> =>
  Effect.try({
    try: () => LogHead.slots(filename),
    catch: (cause) => new LogUnavailable({ reason: "log.head cannot be read", cause })
  })

/** What it says; `undefined` when there is none. */
export const read = (filename: string): Effect.Effect<LogHead.Head | undefined, LogUnavailable> =>
  Effect.map(slots(filename), (heads) => heads.at(-1))
