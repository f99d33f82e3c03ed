/** Opening accounts, the API keys of accounts, and the keys of workers: part of `Administration`. */
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Grant } from "#domain/account/Grant.ts"
import * as Key from "#domain/account/Key.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { ListedKey, ListedWorkerKey } from "#projections/keys/Keys.ts"
import { AccountClosed, AccountNotFound } from "#src/features/accounts/Accounts.ts"
import { KeyExpired, KeyNotFound, KeyRevoked, TooManyKeys } from "#src/features/accounts/KeyErrors.ts"
import { isName } from "#src/features/accounts/Name.ts"
import { WorkerKeyEnded, WorkerKeyNotFound } from "#src/features/providers/workers/WorkerKeys.ts"
import { Amount } from "../accounts/AccountOperations.ts"
import { AdministrationFailed } from "../Operations.ts"

const KeyName = Schema.String.check(Schema.makeFilter(isName, { expected: "a name of 1 to 100 characters" }))

/** How long the previous secret stays valid after a rotation, ms. */
const GracePeriod = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Key.maxGraceMs }))

/** When the previous secret expires, Unix time in ms; `null` when it has expired already. */
const previousExpiresAt = Schema.NullOr(Schema.Int)

/** `<keyId>:<secret>`. It is returned once, and is not stored. */
const KeySecret = Schema.RedactedFromValue(Schema.String)

const IssuedKey = Schema.Struct({ accountId: AccountId, keyId: KeyId, key: KeySecret })

export const keyOperations = RpcGroup.make(
  /** Opens an account with a first key. */
  Rpc.make("openAccount", {
    payload: { name: KeyName, balance: Amount },
    success: IssuedKey,
    error: AdministrationFailed
  }),
  /** Without a `grant`, the key allows everything. */
  Rpc.make("issueKey", {
    payload: { accountId: AccountId, name: KeyName, grant: Schema.optionalKey(Grant) },
    success: IssuedKey,
    error: Schema.Union([AccountNotFound, AccountClosed, TooManyKeys, AdministrationFailed])
  }),
  /** Replaces the secret. In force at once, on a running server too. */
  Rpc.make("rotateKey", {
    payload: { keyId: KeyId, graceMs: GracePeriod },
    success: Schema.Struct({ ...IssuedKey.fields, previousExpiresAt }),
    error: Schema.Union([KeyNotFound, KeyRevoked, KeyExpired, AdministrationFailed])
  }),
  /** In force at once, on a running server too. */
  Rpc.make("revokeKey", {
    payload: { keyId: KeyId },
    error: Schema.Union([KeyNotFound, AdministrationFailed])
  }),
  /** A page of at most 1,000 keys in the order of their ids, revoked ones included; everything on the log at the time of the call. */
  Rpc.make("listKeys", {
    /** `after`: the last key of the previous page; `null` for the first page. */
    payload: { accountId: Schema.optionalKey(AccountId), after: Schema.NullOr(KeyId) },
    success: Schema.Array(ListedKey),
    error: AdministrationFailed
  })
)

const IssuedWorkerKey = Schema.Struct({ keyId: KeyId, key: KeySecret })

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
    success: Schema.Struct({ ...IssuedWorkerKey.fields, previousExpiresAt }),
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
