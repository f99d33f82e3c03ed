import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type AccountId, KeyId } from "#domain/Ids.ts"
import * as KeysProjection from "#projections/keys/KeysProjection.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import * as KnownAccounts from "#src/features/accounts/KnownAccounts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { usd } from "#test/support/TestAccounts.ts"
import * as Until from "#test/support/Until.ts"

const open = Effect.fnUntraced(function* (name: string) {
  const key = { keyId: KeyId.make(name), secret: ApiKey.makeSecret() }
  const { accountId } = yield* (yield* Accounts).open({ name, key, balance: usd("1") })
  return accountId
})

const isInMemory = (accountId: AccountId) =>
  Effect.map(AccountActors, (actors) => actors.peek(accountId) !== undefined)

const untilInMemory = (accountId: AccountId) =>
  Until.until(`${accountId} in memory`, isInMemory(accountId), (isThere) => isThere)

describe("KnownAccounts", () => {
  it.effect("loads accounts that this node has not used before", () =>
    Effect.gen(function* () {
      const options = { dispatches: false, projections: [KeysProjection.projection] }
      const first = yield* TestNode.start({ name: "first", ...options })
      const ids = yield* first.on(Effect.forEach(["a", "b", "c"], open))
      const second = yield* TestNode.start({ name: "second", ...options })
      for (const id of ids) assert.isFalse(yield* second.on(isInMemory(id)))
      yield* second.on(Layer.build(KnownAccounts.layer))
      for (const id of ids) yield* second.on(untilInMemory(id))
      // Opened on another node after that.
      yield* second.on(untilInMemory(yield* first.on(open("d"))))
    }).pipe(Effect.scoped, Effect.provide(TestNode.storeLayer))
  )
})
