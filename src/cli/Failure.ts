/** How a command ends. Exit codes: 0 for success, 1 for a failure, 2 for wrong usage. */
import { Cause, Config, Console, Effect, Exit, Predicate, Runtime, Schema, SchemaIssue } from "effect"
import { CliError } from "effect/cli"

/** The arguments are wrong in a way that parsing cannot detect: they contradict each other or the data. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** The command failed for a reason that only its message describes. */
export class CommandError extends Schema.TaggedError<CommandError>()("CommandError", {
  message: Schema.String
}) {}

/** The setting to change, for errors whose message does not name it. */
const settings: Readonly<Record<string, string>> = {
  DataDirectoryLocked: "DATA_DIR",
  LogHeadDamaged: "DATA_DIR",
  LogTruncated: "DATA_DIR",
  LogUnavailable: "DATA_DIR",
  BlobStoreError: "BLOB_STORE",
  BlobStoreNotShared: "BLOB_STORE",
  LogDiverged: "EVENT_STORE",
  LogRestoreUnfinished: "EVENT_STORE",
  NatsStreamMismatch: "EVENT_STORE",
  NatsStreamUnavailable: "EVENT_STORE",
  NatsTooOld: "EVENT_STORE",
  NatsUnreachable: "EVENT_STORE",
  ServeError: "HOST, PORT"
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

/** `PORT: Expected …`. The invalid value is not shown, because it may be a secret. */
const describeConfigError = ({ cause, message }: Config.ConfigError): string =>
  Schema.isSchemaError(cause)
    ? formatIssue(cause.issue)
        .issues.map((issue) => `${(issue.path ?? []).map(String).join("_")}: ${issue.message}`)
        .join("; ")
    : message

/** The message in one line, with the setting to change. */
export const describe = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return oneLine(describeConfigError(error))
  const tag = Predicate.hasProperty(error, "_tag") ? String(error._tag) : ""
  const source = tag === "ServeError" && Predicate.hasProperty(error, "cause") ? error.cause : error
  const message = Predicate.hasProperty(source, "message") ? String(source.message) : ""
  const setting = settings[tag]
  return oneLine((setting === undefined ? "" : `${setting}: `) + (message === "" ? tag : message))
}

const oneLine = (text: string) => text.replace(/\s*\n\s*/g, " ").trim()

/** Prints to stderr. An error takes one line; only a bug is printed with its stack. */
export const report = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Cause.squash(cause)
  if (CliError.isCliError(error) && error._tag === "ShowHelp") return Effect.void
  return Console.error(
    Cause.hasDies(cause) ? `inferlog: a bug: ${Cause.pretty(cause)}` : `inferlog: ${describe(error)}`
  )
}

/** How long a process may take to close after its log has failed. */
const closingTime = "5 seconds"

/** Lets a failed process close its resources, and ends it with the error's exit code when closing hangs. */
export const endSoon = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Effect.sleep(closingTime).pipe(
          Effect.andThen(report(cause)),
          Effect.andThen(Effect.sync(() => process.exit(Runtime.getErrorExitCode(Cause.squash(cause))))),
          Effect.forkDetach
        )
  )

/** For commands that run until they are stopped: a signal ends them with exit code 0. */
export const untilStopped = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.onInterrupt(effect, () => Effect.sync(() => (process.exitCode = 0)))

/** An interrupted command exits with 130, except under `untilStopped`. */
export const teardown: Runtime.Teardown = (exit, onExit) => {
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    return onExit(Number(process.exitCode ?? 130))
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  const isUsage = CliError.isCliError(error) && (error._tag !== "ShowHelp" || error.errors.length > 0)
  return isUsage ? onExit(2) : Runtime.defaultTeardown(exit, onExit)
}
