/** The forms of an operation: as declared, and as implemented on the log. */
import { Effect, Record, Schema } from "effect"
import type { Rpc, RpcGroup } from "effect/rpc"

/** The log or a read model failed, or the running server did not answer. */
export class AdministrationFailed extends Schema.TaggedError<AdministrationFailed>()("AdministrationFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** The operations of `Group` as functions from payload to result. */
export type Operations<Group, Failure = never> = {
  readonly [Operation in RpcGroup.Rpcs<Group> as Operation["_tag"]]: (
    payload: Rpc.Payload<Operation>
  ) => Effect.Effect<Rpc.Success<Operation>, Rpc.Error<Operation> | Failure>
}

/** Failures of the log and of the read models. */
const storageErrors = [
  "BlobStoreError",
  "EventStoreError",
  "ReadModelBehind",
  "ReadModelError",
  "SqlError",
  "WorkerStopped"
] as const

interface StorageError {
  readonly _tag: (typeof storageErrors)[number]
  readonly message: string
}

/** The operations of `Group` on the log. Their storage errors become `AdministrationFailed` (`reported`). */
export type LocalOperations<Group> = Operations<Group, StorageError>

export const reported = <Group>(operations: LocalOperations<Group>): Operations<Group> =>
  Record.map(
    operations as Record<string, (payload: never) => Effect.Effect<unknown, StorageError>>,
    (operation) => (payload: never) =>
      Effect.catchTag(
        operation(payload),
        storageErrors,
        ({ message }) => new AdministrationFailed({ reason: message })
      )
  ) as Operations<Group>
