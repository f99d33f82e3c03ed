/**
 * The key under which sessions by password act, so that requests and audits name a key as always. One for all sessions of an
 * account, issued at the first sign-in. Nobody knows its secret; whoever revokes it ends these sessions.
 */
import { Clock, Effect, Semaphore } from "effect"
import * as Key from "#domain/account/Key.ts"
import { keyOf } from "#domain/account/State.ts"
import type { AccountId } from "#domain/Ids.ts"
import { AccountActors } from "../AccountActors.ts"
import { Accounts } from "../Accounts.ts"
import * as ApiKey from "../ApiKey.ts"
import { ConsoleSessions } from "./ConsoleSessions.ts"

const name = "Console"

/** Finds the key of the account, or issues one. */
export const make = Effect.gen(function* () {
  const sessions = yield* ConsoleSessions
  const actors = yield* AccountActors
  const accounts = yield* Accounts
  /** Two first sign-ins at a time must not issue two keys. */
  const lock = yield* Semaphore.make(1)

  const find = Effect.fnUntraced(function* (accountId: AccountId) {
    const { passwordKey } = yield* sessions.stateOf(accountId)
    if (passwordKey === null) return null
    const key = keyOf((yield* actors.refresh(accountId)).state, passwordKey.keyId)
    const now = yield* Clock.currentTimeMillis
    // Whoever has rotated it knows its secret.
    return key?.secretHash === passwordKey.keyHash && Key.isValid(key, now) ? passwordKey : null
  })

  const issue = Effect.fnUntraced(function* (accountId: AccountId) {
    const { keyId, secret } = yield* accounts.issueKey({ accountId, name })
    return { keyId, keyHash: ApiKey.hashSecret(secret) }
  })

  return (accountId: AccountId) =>
    lock.withPermit(
      Effect.flatMap(find(accountId), (found) => (found === null ? issue(accountId) : Effect.succeed(found)))
    )
})
