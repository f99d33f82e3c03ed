import { Schema } from "effect"

/** The servers have lost messages that this node has seen: acknowledged events are gone, or are others now. */
export class LogDiverged extends Schema.TaggedError<LogDiverged>()("LogDiverged", {
  found: Schema.Int,
  expected: Schema.Int
}) {
  override get message(): string {
    return (
      `The log at the NATS servers ends at message ${this.found}, but this node has seen message ${this.expected}: ` +
      `acknowledged events are missing. Restore the servers' storage, or move log.head and the read models in DATA_DIR ` +
      `away on all nodes to go on without them.`
    )
  }
}
