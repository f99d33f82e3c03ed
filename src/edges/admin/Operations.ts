/** The operations of a group as functions, as declared and as implemented on the log. */
import { Effect, Record } from "effect"
import { AdministrationFailed, type Operation, type PayloadOf } from "./Operation.ts"

type NamesOf<Group extends ReadonlyArray<unknown>> = Extract<Group[number], { readonly name: string }>["name"]

type Named<Group extends ReadonlyArray<unknown>, Name> = Extract<Group[number], { readonly name: Name }>

type FunctionOf<Op, Failure> =
  Op extends Operation<string, infer F, infer Success, infer Errors>
    ? (payload: PayloadOf<F>) => Effect.Effect<Success["Type"], Errors[number]["Type"] | Failure>
    : never

/** The operations of `Group` as functions from payload to result. */
export type Operations<Group extends ReadonlyArray<unknown>, Failure = AdministrationFailed> = {
  readonly [Name in NamesOf<Group>]: FunctionOf<Named<Group, Name>, Failure>
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
export type LocalOperations<Group extends ReadonlyArray<unknown>> = Operations<
  Group,
  StorageError | AdministrationFailed
>

export const reported = <Group extends ReadonlyArray<unknown>>(
  operations: LocalOperations<Group>
): Operations<Group> =>
  Record.map(
    operations as unknown as Record<string, (payload: never) => Effect.Effect<unknown, StorageError>>,
    (operation) => (payload: never) =>
      Effect.catchTag(
        operation(payload),
        storageErrors,
        ({ message }) => new AdministrationFailed({ reason: message })
      )
  ) as unknown as Operations<Group>
