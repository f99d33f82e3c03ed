/** Opening accounts, the API keys of accounts, and the keys of workers: part of `Administration`. */
import { Schema } from "effect"
import { Grant as DomainGrant } from "#domain/account/Grant.ts"
import * as Key from "#domain/account/Key.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as Money from "#domain/Money.ts"
import { ListedKey, ListedWorkerKey } from "#projections/keys/KeyViews.ts"
import { AccountClosed, AccountNotFound } from "#src/features/accounts/AccountErrors.ts"
import { KeyExpired, KeyNotFound, KeyRevoked, TooManyKeys } from "#src/features/accounts/KeyErrors.ts"
import { isName } from "#src/features/accounts/Name.ts"
import { WorkerKeyEnded, WorkerKeyNotFound } from "#src/features/providers/workers/WorkerKeyErrors.ts"
import { Amount } from "../accounts/AccountOperations.ts"
import * as Operation from "../Operation.ts"
import * as Wire from "../Wire.ts"

/** The grant of a key, as operators write it. */
const Grant = Schema.Struct({
  ...DomainGrant.fields,
  monthlyBudget: Schema.NullOr(Wire.Usd),
  expiresAt: Wire.TimeOrNull,
  // Programs that are older than origins do not send them.
  origins: Wire.orElse(DomainGrant.fields.origins, null)
})

/** Times and amounts of `ListedKey`, as operators read them. */
const WireKey = Schema.Struct({
  ...ListedKey.fields,
  ...Grant.fields,
  issuedAt: Wire.Time,
  rotatedAt: Wire.TimeOrNull,
  revokedAt: Wire.TimeOrNull,
  lastUsedAt: Wire.TimeOrNull
})

const WireWorkerKey = Schema.Struct({
  ...ListedWorkerKey.fields,
  issuedAt: Wire.Time,
  expiresAt: Wire.TimeOrNull,
  rotatedAt: Wire.TimeOrNull,
  revokedAt: Wire.TimeOrNull
})

const KeyName = Schema.String.check(Schema.makeFilter(isName, { expected: "a name of 1 to 100 characters" }))

/** How long the previous secret stays valid after a rotation, ms. */
const GracePeriod = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Key.maxGraceMs }))

/** When the previous secret expires, Unix time in ms; `null` when it has expired already. */
const previousExpiresAt = Wire.TimeOrNull

/** `<keyId>:<secret>`. It is returned once, and is not stored. */
const KeySecret = Schema.RedactedFromValue(Schema.String)

const IssuedKey = Schema.Struct({ accountId: AccountId, keyId: KeyId, key: KeySecret })

export const keyOperations = [
  Operation.make("openAccount", {
    route: "POST /accounts",
    role: "operator",
    // An opening balance is a payment.
    roleOf: ({ balance }) => (balance > 0n ? "owner" : "operator"),
    summary: "Open an account",
    description:
      "Opens an account with a first key, which is shown once. An opening balance needs the role owner.",
    payload: { name: KeyName, balance: Wire.orElse(Amount, Money.zero) },
    success: IssuedKey
  }),
  Operation.make("issueKey", {
    route: "POST /accounts/:accountId/keys",
    role: "operator",
    summary: "Create a key of an account",
    description: "Shown once. Without a `grant`, the key allows everything.",
    payload: { accountId: AccountId, name: KeyName, grant: Schema.optionalKey(Grant) },
    success: IssuedKey,
    errors: [AccountNotFound, AccountClosed, TooManyKeys]
  }),
  Operation.make("rotateKey", {
    route: "POST /keys/:keyId/rotate",
    role: "operator",
    summary: "Rotate the secret of a key",
    description: "In force at once. The previous secret stays valid for `graceMs`.",
    payload: { keyId: KeyId, graceMs: Wire.orElse(GracePeriod, 0) },
    success: Schema.Struct({ ...IssuedKey.fields, previousExpiresAt }),
    errors: [KeyNotFound, KeyRevoked, KeyExpired]
  }),
  Operation.make("revokeKey", {
    route: "DELETE /keys/:keyId",
    role: "operator",
    summary: "Revoke a key",
    description: "In force at once and for good. Repeating it changes nothing.",
    payload: { keyId: KeyId },
    errors: [KeyNotFound]
  }),
  Operation.make("listKeys", {
    route: "GET /keys",
    role: "viewer",
    summary: "List keys",
    description:
      "Of one account or of all, by id, with revoked keys; everything on the log at the time of the call.",
    payload: { accountId: Schema.optionalKey(AccountId), ...Wire.paging(KeyId) },
    success: Wire.page(WireKey, KeyId)
  })
] as const

const IssuedWorkerKey = Schema.Struct({ keyId: KeyId, key: KeySecret })

export const workerKeyOperations = [
  Operation.make("issueWorkerKey", {
    route: "POST /worker-keys",
    role: "operator",
    summary: "Create the key of a worker",
    description:
      "Shown once. `modelEndpoints` are the models whose jobs the worker may take; `null`: all models.",
    payload: {
      name: KeyName,
      modelEndpoints: Wire.orNull(Schema.Array(ModelEndpoint)),
      expiresAt: Wire.orNull(Wire.Time)
    },
    success: IssuedWorkerKey
  }),
  Operation.make("rotateWorkerKey", {
    route: "POST /worker-keys/:keyId/rotate",
    role: "operator",
    summary: "Rotate the secret of a worker's key",
    description: "In force at once. The previous secret stays valid for `graceMs`.",
    payload: { keyId: KeyId, graceMs: Wire.orElse(GracePeriod, 0) },
    success: Schema.Struct({ ...IssuedWorkerKey.fields, previousExpiresAt }),
    errors: [WorkerKeyNotFound, WorkerKeyEnded]
  }),
  Operation.make("revokeWorkerKey", {
    route: "DELETE /worker-keys/:keyId",
    role: "operator",
    summary: "Revoke the key of a worker",
    description: "In force at once and for good. Repeating it changes nothing.",
    payload: { keyId: KeyId },
    errors: [WorkerKeyNotFound]
  }),
  Operation.make("listWorkerKeys", {
    route: "GET /worker-keys",
    role: "viewer",
    summary: "List the keys of workers",
    description: "By id, with revoked keys; everything on the log at the time of the call.",
    payload: Wire.paging(KeyId),
    success: Wire.page(WireWorkerKey, KeyId)
  })
] as const
