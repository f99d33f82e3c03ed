/** The key under which a session of an account acts. */
import type { Opener } from "#domain/console-sessions/ConsoleSessions.ts"
import { keyOf, type State } from "#domain/account/State.ts"
import type * as ApiKey from "../ApiKey.ts"
import { markOf } from "../Passwords.ts"

/** `null` once the key has another secret, or the account another password. The key may have ended. */
export const of = (opener: Opener, state: State): ApiKey.Presented | null => {
  if (opener._tag === "OperatorKey" || state._tag !== "Account") return null
  const { keyHash: secretHash, keyId } = opener
  if (keyOf(state, keyId)?.secretHash !== secretHash) return null
  if (opener._tag === "Password") {
    if (state.password === null || markOf(state.password) !== opener.passwordMark) return null
  }
  return { keyId, secretHash }
}
