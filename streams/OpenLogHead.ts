/** `log.head` of an open log: synced at most once a second, and at the end. */
import { Effect, Schedule, Schema, type Scope } from "effect"
import * as LogHead from "./LogHead.ts"
import { LogUnavailable } from "./LogUnavailable.ts"

/** The file exists but cannot be read, so a lost tail of the log cannot be detected. */
export class LogHeadDamaged extends Schema.TaggedError<LogHeadDamaged>()("LogHeadDamaged", {
  filename: Schema.String
}) {
  override get message(): string {
    return (
      `${this.filename} is damaged, so missing events could go unnoticed. Restore the file from a copy, or continue ` +
      `with the log as it is: inferlog log accept-head`
    )
  }
}

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

/** The heads in the file, newest last: at most two, written shortly after each other. */
export const slots = (
  filename: string
): Effect.Effect<ReadonlyArray<LogHead.Head>, LogHeadDamaged | LogUnavailable> =>
  Effect.try({
    try: () => LogHead.slots(filename),
    catch: (cause) =>
      cause instanceof LogHead.Damaged
        ? new LogHeadDamaged({ filename })
        : new LogUnavailable({ reason: "log.head cannot be read", cause })
  })

/** The newest head in the file. `undefined` when there is none. */
export const read = (
  filename: string
): Effect.Effect<LogHead.Head | undefined, LogHeadDamaged | LogUnavailable> =>
  Effect.map(slots(filename), (heads) => heads.at(-1))
