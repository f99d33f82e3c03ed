/** Issues, rotates and revokes keys, for the operator and for the account's own keys. */
import { Clock, Effect } from "effect"
import * as Account from "#domain/account/Account.ts"
import type { Command, NewKey } from "#domain/account/Command.ts"
import type { Grant } from "#domain/account/Grant.ts"
import { keyOf } from "#domain/account/State.ts"
import { type AccountId, KeyId } from "#domain/Ids.ts"
import type { AccountActors } from "./AccountActors.ts"
import * as ApiKey from "./ApiKey.ts"

type Actors = AccountActors["Service"]

export interface Issue {
  readonly accountId: AccountId
  readonly name: string
  readonly grant: Grant
  /** The issuing key; `null`: the operator. */
  readonly issuer: KeyId | null
  /** Made in advance (`make`), for callers that need it before it is on the log. */
  readonly key?: ApiKey.ApiKey
}

export interface Rotate {
  readonly keyId: KeyId
  /** How long the current secret stays valid, ms. */
  readonly graceMs: number
  /** The rotating key; `null`: the operator. */
  readonly issuer: KeyId | null
}

/** As of the log. */
export const hashed = (key: ApiKey.ApiKey, name: string): NewKey => ({
  keyId: key.keyId,
  name,
  secretHash: ApiKey.hashSecret(key.secret)
})

export const accountOf = (keyId: string): AccountId => Account.accountOf(keyId, ApiKey.sha256Hex)

/** The account and its key, after the command. */
const execute = Effect.fnUntraced(function* (
  actors: Actors,
  { accountId, keyId }: { readonly accountId: AccountId; readonly keyId: KeyId },
  command: (at: number) => Command
) {
  const { state } = yield* actors.execute(accountId, command(yield* Clock.currentTimeMillis))
  const known = keyOf(state, keyId)
  if (state._tag !== "Account" || known === undefined) {
    return yield* Effect.die(new Error("The account does not have the key that it was changed in"))
  }
  return { account: state, known }
})

/** A key that the account does not have yet. */
export const make = (accountId: AccountId): ApiKey.ApiKey => ({
  keyId: Account.makeKeyId(accountId, ApiKey.randomLetters(8)),
  secret: ApiKey.makeSecret()
})

/** The new key. */
export const issue = Effect.fnUntraced(function* (actors: Actors, options: Issue) {
  const { accountId, grant, issuer, key = make(accountId), name } = options
  const executed = yield* execute(actors, { accountId, keyId: key.keyId }, (at) => ({
    _tag: "IssueKey",
    at,
    key: hashed(key, name),
    grant,
    issuer
  }))
  return { key, ...executed }
})

/** The key with its new secret. */
export const rotate = Effect.fnUntraced(function* (actors: Actors, options: Rotate) {
  const { graceMs, issuer, keyId } = options
  const key = { keyId, secret: ApiKey.makeSecret() }
  const secretHash = ApiKey.hashSecret(key.secret)
  const executed = yield* execute(actors, { accountId: accountOf(keyId), keyId }, (at) => ({
    _tag: "RotateKey",
    at,
    keyId,
    secretHash,
    graceMs,
    issuer
  }))
  return { key, ...executed }
})

export const revoke = Effect.fnUntraced(function* (actors: Actors, text: string) {
  const keyId = KeyId.make(text)
  yield* execute(actors, { accountId: accountOf(keyId), keyId }, (at) => ({ _tag: "RevokeKey", at, keyId }))
})
