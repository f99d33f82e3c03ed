import { Schema } from "effect"

export class WorkerKeyNotFound extends Schema.TaggedError<WorkerKeyNotFound>()("WorkerKeyNotFound", {}) {
  override readonly message = "There is no such worker key"
}

export class WorkerKeyEnded extends Schema.TaggedError<WorkerKeyEnded>()("WorkerKeyEnded", {}) {
  override readonly message = "The worker key was revoked, or has expired"
}
