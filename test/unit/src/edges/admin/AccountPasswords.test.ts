import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { AccountId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { layers, quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"

const password = Redacted.make("correct horse battery")

const hasPassword = (accountId: AccountId) =>
  Effect.map(
    Effect.flatMap(AccountActors, (actors) => actors.current(accountId)),
    ({ state }) => state._tag === "Account" && state.password !== null
  )

for (const [name, layer] of Object.entries(layers)) {
  describe(`Administration of passwords, ${name}`, () => {
    it.live("sets and removes a password, and reports unknown accounts", () =>
      Effect.gen(function* () {
        const { eraseAccount, openAccount, setPassword } = yield* Administration
        const { accountId } = yield* openAccount({ name: "acme", balance: Money.zero })
        yield* setPassword({ accountId, password })
        assert.isTrue(yield* hasPassword(accountId))
        yield* setPassword({ accountId, password: null })
        assert.isFalse(yield* hasPassword(accountId))

        const nobody = AccountId.make("acc_0000000000000000")
        const refused = yield* Effect.flip(setPassword({ accountId: nobody, password }))
        assert.strictEqual(refused._tag, "AccountNotFound")
        yield* eraseAccount({ accountId, round: null })
        const closed = yield* Effect.flip(setPassword({ accountId, password }))
        assert.strictEqual(closed._tag, "AccountClosed")

        const log = yield* Stream.runCollect((yield* EventReader).readAll(GlobalPosition.beginning))
        assert.isFalse(log.some(({ text }) => text.includes(Redacted.value(password))))
      }).pipe(Effect.provide(Layer.provide(layer, quiet)))
    )
  })
}

describe("Administration of passwords over a socket", () => {
  it.live("rejects invalid passwords without showing them", () =>
    Effect.gen(function* () {
      const { openAccount, setPassword } = yield* Administration
      const { accountId } = yield* openAccount({ name: "acme", balance: Money.zero })
      const refused = yield* Effect.flip(setPassword({ accountId, password: Redacted.make("short text") }))
      assert.match(refused.message, /^The running server did not carry out the command/)
      assert.notInclude(JSON.stringify(refused), "short text")
      assert.isFalse(yield* hasPassword(accountId))
    }).pipe(Effect.provide(Layer.provide(layers.socket, quiet)))
  )
})
