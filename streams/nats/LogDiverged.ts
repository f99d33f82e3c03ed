import { Runtime, Schema } from "effect"

/** The log at the servers is not the one that this node has seen: acknowledged events are missing, or it is another log. */
export class LogDiverged extends Schema.TaggedError<LogDiverged>()("LogDiverged", {
  /** Sequence number of the log's last message. */
  found: Schema.Int,
  /** Sequence number of the last message that this node has seen. */
  expected: Schema.Int
}) {
  /** Exit code of the process. A supervisor must not restart it, because each start ends in the same way. */
  override readonly [Runtime.errorExitCode] = 3

  override get message(): string {
    const { expected, found } = this
    const what =
      found < expected
        ? `ends at message ${found}, but this node has seen message ${expected}`
        : `has other events up to message ${expected} than this node has seen`
    return (
      `The log at the NATS servers ${what}: acknowledged events are missing, or EVENT_STORE names another log. ` +
      `Restore the servers' storage, or continue without those events with a new DATA_DIR on every node (LogDiverged).`
    )
  }
}
