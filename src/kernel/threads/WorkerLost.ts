import { Schema } from "effect"

/** The worker thread ended without answering its task. */
export class WorkerLost extends Schema.TaggedError<WorkerLost>()("WorkerLost", {
  reason: Schema.Literals(["crashed", "out_of_memory", "deadline"])
}) {
  override get message(): string {
    return `The worker was lost: ${this.reason}`
  }
}
