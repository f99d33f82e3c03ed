/** What an operator does with the keys of workers: the part of `Administration` that is about them. */
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import * as Key from "#domain/account/Key.ts"
import { KeyId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { ListedWorkerKey } from "#projections/keys/Keys.ts"
import { isName } from "#src/features/accounts/Name.ts"
import { WorkerKeyEnded, WorkerKeyNotFound } from "#src/features/providers/workers/WorkerKeys.ts"
import { AdministrationFailed } from "./AdministrationFailed.ts"

const IssueWorkerKey = Schema.Struct({
  name: Schema.String.check(Schema.makeFilter(isName, { expected: "a name of 1 to 100 characters" })),
  /** Whose jobs it may take; `null`: every model's. */
  modelEndpoints: Schema.NullOr(Schema.Array(ModelEndpoint)),
  /** Unix time in ms; `null`: never. */
  expiresAt: Schema.NullOr(Schema.Int)
})
/** `graceMs`: how long the secret until now stays good. */
const RotateWorkerKey = Schema.Struct({
  keyId: KeyId,
  graceMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Key.longestGraceMs }))
})
const RevokeWorkerKey = Schema.Struct({ keyId: KeyId })
/** `after`: the last key of the page before; `null` for the first page. */
const ListWorkerKeys = Schema.Struct({ after: Schema.NullOr(KeyId) })

/** `key` is `<keyId>:<secret>` and is not to be had again. */
export const IssuedWorkerKey = Schema.Struct({ keyId: KeyId, key: Schema.RedactedFromValue(Schema.String) })
export type IssuedWorkerKey = typeof IssuedWorkerKey.Type

const RotatedWorkerKey = Schema.Struct({
  ...IssuedWorkerKey.fields,
  /** Unix time in ms; `null` when the secret until now is good no more. */
  previousExpiresAt: Schema.NullOr(Schema.Int)
})
type RotatedWorkerKey = typeof RotatedWorkerKey.Type

export const workerKeyOperations = RpcGroup.make(
  Rpc.make("issueWorkerKey", {
    payload: IssueWorkerKey,
    success: IssuedWorkerKey,
    error: AdministrationFailed
  }),
  /** Gives a key another secret, in force at once, on a running server too. */
  Rpc.make("rotateWorkerKey", {
    payload: RotateWorkerKey,
    success: RotatedWorkerKey,
    error: Schema.Union([WorkerKeyNotFound, WorkerKeyEnded, AdministrationFailed])
  }),
  /** In force at once, on a running server too. */
  Rpc.make("revokeWorkerKey", {
    payload: RevokeWorkerKey,
    error: Schema.Union([WorkerKeyNotFound, AdministrationFailed])
  }),
  /** A page of at most 1,000 keys in the order of their ids, revoked keys included, as of now. */
  Rpc.make("listWorkerKeys", {
    payload: ListWorkerKeys,
    success: Schema.Array(ListedWorkerKey),
    error: AdministrationFailed
  })
)
