/** How a command ends: exit code 0 when it did what it says, 1 when it failed, 2 when it was called wrongly. */
import { Cause, Config, Console, Effect, Exit, Predicate, Runtime, Schema, SchemaIssue } from "effect"
import { CliError } from "effect/cli"

/** The arguments fit each other or the data wrongly, beyond what parsing can see. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** Which setting leads out of an error whose message does not name it. */
const settings: Readonly<Record<string, string>> = {
  DataDirectoryLocked: "DATA_DIR",
  LogHeadDamaged: "DATA_DIR",
  LogTruncated: "DATA_DIR",
  LogUnavailable: "DATA_DIR",
  BlobStoreError: "BLOB_STORE",
  BlobStoreNotShared: "BLOB_STORE",
  LogDiverged: "EVENT_STORE",
  NatsStreamMismatch: "EVENT_STORE",
  NatsStreamUnavailable: "EVENT_STORE",
  NatsTooOld: "EVENT_STORE",
  NatsUnreachable: "EVENT_STORE",
  ServeError: "HOST, PORT"
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

/** `PORT: Expected …`. What was found is not shown: it may be a secret. */
const describeConfigError = ({ cause, message }: Config.ConfigError): string =>
  Schema.isSchemaError(cause)
    ? formatIssue(cause.issue)
        .issues.map((issue) => `${(issue.path ?? []).map(String).join("_")}: ${issue.message}`)
        .join("; ")
    : message

/** One line. */
export const describe = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return oneLine(describeConfigError(error))
  const tag = Predicate.hasProperty(error, "_tag") ? String(error._tag) : ""
  const source = tag === "ServeError" && Predicate.hasProperty(error, "cause") ? error.cause : error
  const message = Predicate.hasProperty(source, "message") ? String(source.message) : ""
  const setting = settings[tag]
  return oneLine((setting === undefined ? "" : `${setting}: `) + (message === "" ? tag : message))
}

const oneLine = (text: string) => text.replace(/\s*\n\s*/g, " ").trim()

/** On stderr. Errors are one line; only a bug comes with its stack. */
export const report = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Cause.squash(cause)
  if (CliError.isCliError(error) && error._tag === "ShowHelp") return Effect.void
  return Console.error(
    Cause.hasDies(cause) ? `inferlog: a bug: ${Cause.pretty(cause)}` : `inferlog: ${describe(error)}`
  )
}

/** How long a process whose log has failed may take to close. */
const farewell = "5 seconds"

/**
 * For a process that is of no use any more: it is left to close what it has open, and ended with the error's exit code when
 * that hangs.
 */
export const endSoon = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Effect.sleep(farewell).pipe(
          Effect.andThen(report(cause)),
          Effect.andThen(Effect.sync(() => process.exit(Runtime.getErrorExitCode(Cause.squash(cause))))),
          Effect.forkDetach
        )
  )

/** For what runs until it is stopped: a signal is its good end, with exit code 0. */
export const untilStopped = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.onInterrupt(effect, () => Effect.sync(() => (process.exitCode = 0)))

/** 130 for what was interrupted, unless that is its good end (`untilStopped`). */
export const teardown: Runtime.Teardown = (exit, onExit) => {
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    return onExit(Number(process.exitCode ?? 130))
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  const isUsage = CliError.isCliError(error) && (error._tag !== "ShowHelp" || error.errors.length > 0)
  return isUsage ? onExit(2) : Runtime.defaultTeardown(exit, onExit)
}
