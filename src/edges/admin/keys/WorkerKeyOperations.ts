/** The keys of workers: part of `Administration`. */
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { KeyId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { ListedWorkerKey } from "#projections/keys/Keys.ts"
import { WorkerKeyEnded, WorkerKeyNotFound } from "#src/features/providers/workers/WorkerKeys.ts"
import { GracePeriod, KeyName, KeySecret } from "./KeyOperations.ts"
import { AdministrationFailed } from "../AdministrationFailed.ts"

export const IssuedWorkerKey = Schema.Struct({ keyId: KeyId, key: KeySecret })

export const workerKeyOperations = RpcGroup.make(
  Rpc.make("issueWorkerKey", {
    payload: {
      name: KeyName,
      /** The models whose jobs the worker may take; `null`: all models. */
      modelEndpoints: Schema.NullOr(Schema.Array(ModelEndpoint)),
      /** Unix time in ms; `null`: never. */
      expiresAt: Schema.NullOr(Schema.Int)
    },
    success: IssuedWorkerKey,
    error: AdministrationFailed
  }),
  /** Replaces the secret. In force at once, on a running server too. */
  Rpc.make("rotateWorkerKey", {
    payload: { keyId: KeyId, graceMs: GracePeriod },
    success: Schema.Struct({
      ...IssuedWorkerKey.fields,
      /** When the previous secret expires, Unix time in ms; `null` when it has expired already. */
      previousExpiresAt: Schema.NullOr(Schema.Int)
    }),
    error: Schema.Union([WorkerKeyNotFound, WorkerKeyEnded, AdministrationFailed])
  }),
  /** In force at once, on a running server too. */
  Rpc.make("revokeWorkerKey", {
    payload: { keyId: KeyId },
    error: Schema.Union([WorkerKeyNotFound, AdministrationFailed])
  }),
  /** A page of at most 1,000 keys in the order of their ids, revoked ones included; everything on the log at the time of the call. */
  Rpc.make("listWorkerKeys", {
    /** `after`: the last key of the previous page; `null` for the first page. */
    payload: { after: Schema.NullOr(KeyId) },
    success: Schema.Array(ListedWorkerKey),
    error: AdministrationFailed
  })
)
