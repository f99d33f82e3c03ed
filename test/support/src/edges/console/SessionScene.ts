/** Accounts of the tests of sessions, and browsers that are signed in to them. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { accountOf } from "#src/features/accounts/KeyCommands.ts"
import { ScryptCost } from "#src/features/accounts/PasswordHash.ts"
import { cheap } from "#test/support/src/features/accounts/PasswordNode.ts"
import type { Reply } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as ConsoleBrowser from "./ConsoleBrowser.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- each test expects another form
export const bodyOf = ({ json }: Reply): any => json

/** With no cookies. */
export const browser = Effect.map(TestServer.TestServer, ({ port }) => ConsoleBrowser.make(port))

/** A new account, with the text and the id of a key that has these rights. */
export const account = Effect.fnUntraced(function* (name: string, grant: Partial<Grant.Grant> = {}) {
  yield* TestServer.openAccount(name)
  const accountId = accountOf(name)
  const { issueKey } = yield* Accounts
  const key = yield* issueKey({ accountId, name: "laptop", grant: { ...Grant.unlimited, ...grant } })
  return { accountId, keyId: key.keyId, text: ApiKey.format(key) }
})

/** @param text of a key */
export const signedIn = Effect.fnUntraced(function* (text: string) {
  const one = yield* browser
  assert.strictEqual((yield* one.signIn({ api_key: text })).status, 200)
  return one
})

/** What the page learns of its sessions. */
export const me = (one: ConsoleBrowser.ConsoleBrowser) =>
  Effect.map(one.call({ path: "/console/session" }), bodyOf)

/** The status of a call of the account. */
export const works = (one: ConsoleBrowser.ConsoleBrowser) =>
  Effect.map(one.call({ path: "/console/api/requests" }), ({ status }) => status)

/** Passwords are hashed fast. */
export const server = TestServer.layer().pipe(Layer.provide(Layer.succeed(ScryptCost, cheap)))
