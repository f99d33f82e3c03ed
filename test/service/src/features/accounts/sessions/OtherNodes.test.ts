/** Sessions of the console on a node that has not opened them, and has not yet read of their key. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { ConsoleSessions } from "#src/features/accounts/sessions/ConsoleSessions.ts"
import * as SessionCredential from "#src/features/accounts/sessions/SessionCredential.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { key, open } from "#test/support/src/features/accounts/AccountFacts.ts"

const first = key("operator", "s3cret")

/** Signs in with a new key. Returns what the browser sends from then on. */
const signIn = Effect.gen(function* () {
  const { accountId } = yield* open(first)
  const { issueKey } = yield* Accounts
  const sessions = yield* ConsoleSessions
  return Effect.gen(function* () {
    const { keyId, secret } = yield* issueKey({ accountId, name: "Console" })
    const opener = { _tag: "Key", keyId, keyHash: ApiKey.hashSecret(secret) } as const
    const expiresAt = 3_600_000
    const { session, token } = yield* sessions.open({ holder: accountId, opener, browser: "", expiresAt })
    const end = sessions.close({ holder: accountId, sessionId: session.sessionId }, "revoked")
    return { header: SessionCredential.authorizationOf(Redacted.value(token)), keyId, end }
  })
}).pipe(Effect.provide(ConsoleSessions.layer))

const authenticate = (header: string) =>
  Effect.flatMap(Authentication, (authentication) => authentication.authenticate(header))

describe("A session of the console", () => {
  it.effect("is known on every node at once, with the key that was issued for it", () =>
    Effect.gen(function* () {
      const one = yield* TestNode.start({ name: "one", dispatches: false })
      const two = yield* TestNode.start({ name: "two", dispatches: false, follows: false })
      const opening = yield* one.on(signIn)
      // The account is in memory there, as it was.
      yield* two.on(authenticate("Key operator:s3cret"))
      const { header, keyId } = yield* opening
      assert.strictEqual((yield* two.on(authenticate(header))).keyId, keyId)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("is refused on its own node once it is ended, and its text is no key", () =>
    Effect.gen(function* () {
      const one = yield* TestNode.start({ name: "one", dispatches: false })
      const { end, header } = yield* yield* one.on(signIn)
      yield* one.on(authenticate(header))
      const token = header.slice(header.indexOf(" ") + 1)
      for (const scheme of ["Key", "Bearer", "Session", "Session-"]) {
        yield* Effect.flip(one.on(authenticate(`${scheme} ${token}`)))
      }
      yield* end
      assert.strictEqual((yield* Effect.flip(one.on(authenticate(header))))._tag, "Unauthorized")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
