import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { AccountId } from "#domain/Ids.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { key, logText, open } from "#test/support/src/features/accounts/AccountFacts.ts"
import * as PasswordNode from "#test/support/src/features/accounts/PasswordNode.ts"
import { right, wrong } from "#test/support/src/features/accounts/PasswordNode.ts"

const unknown = AccountId.make("acc_0000000000000000")

const execute = Effect.fnUntraced(function* (
  accountId: AccountId,
  command: { readonly _tag: "Erase" } | { readonly _tag: "ChangePassword"; readonly sealed: string | null }
) {
  const at = yield* Clock.currentTimeMillis
  yield* (yield* AccountActors).execute(accountId, { at, ...command }).pipe(Effect.orDie)
})

const sealedOf = (accountId: AccountId) =>
  Effect.map(
    Effect.flatMap(AccountActors, (actors) => actors.current(accountId)),
    ({ state }) => (state._tag === "Account" ? state.password : null)
  )

describe("The password of an account", () => {
  it.effect("is absent at first, then the last one set, and absent after removal", () =>
    Effect.gen(function* () {
      const { set, verify } = yield* Passwords
      const accountId = yield* PasswordNode.account
      const standing = Effect.forEach([right, wrong], (password) =>
        Effect.map(verify({ accountId, password }), (mark) => mark !== null)
      )
      assert.deepStrictEqual(yield* standing, [false, false])
      yield* set({ accountId, password: right })
      assert.deepStrictEqual(yield* standing, [true, false])
      yield* set({ accountId, password: wrong })
      assert.deepStrictEqual(yield* standing, [false, true])
      yield* set({ accountId, password: null })
      assert.deepStrictEqual(yield* standing, [false, false])
    }).pipe(Effect.provide(PasswordNode.layer))
  )

  it.effect("matches equivalent Unicode forms, and no invalid password", () =>
    Effect.gen(function* () {
      const { set, verify } = yield* Passwords
      const accountId = yield* PasswordNode.account
      const text = "déjà vu, déjà lu"
      yield* set({ accountId, password: Redacted.make(text) })
      const of = (text: string) => verify({ accountId, password: Redacted.make(text) })
      assert.isNotNull(yield* of(text.normalize("NFD")))
      for (const other of ["", text.slice(1), `${text} `, `${text}\n`, "\ud800", "a".repeat(100_000)]) {
        assert.isNull(yield* of(other), other.slice(0, 50))
      }
    }).pipe(Effect.provide(PasswordNode.layer))
  )

  it.effect("has a new mark each time it is set, even to the same text", () =>
    Effect.gen(function* () {
      const { mark, set, verify } = yield* Passwords
      const accountId = yield* PasswordNode.account
      assert.isNull(yield* mark(accountId))
      const marks = new Set<string | null>()
      for (const password of [right, right, wrong]) {
        yield* set({ accountId, password })
        marks.add(yield* mark(accountId))
        assert.strictEqual(yield* verify({ accountId, password }), yield* mark(accountId))
      }
      assert.strictEqual(marks.size, 3)
      yield* set({ accountId, password: null })
      assert.isNull(yield* mark(accountId))
    }).pipe(Effect.provide(PasswordNode.layer))
  )

  it.effect("applies on other nodes at once", () =>
    Effect.gen(function* () {
      const one = yield* PasswordNode.start()
      const two = yield* PasswordNode.start()
      const accountId = yield* one.on(PasswordNode.account)
      assert.isNull(yield* two.passwords.verify({ accountId, password: right }))
      yield* one.passwords.set({ accountId, password: right })
      assert.isNotNull(yield* two.passwords.verify({ accountId, password: right }))
      yield* two.passwords.set({ accountId, password: null })
      assert.isNull(yield* one.passwords.verify({ accountId, password: right }))
    }).pipe(Effect.provide(MemoryEventStore.layer))
  )

  it.effect("is bound to one account, like its hash", () =>
    Effect.gen(function* () {
      const { set, verify } = yield* Passwords
      const accountId = yield* PasswordNode.account
      const { accountId: other } = yield* open(key("another operator", "s3cret"))
      yield* set({ accountId, password: right })
      assert.isNull(yield* verify({ accountId: other, password: right }))
      yield* execute(other, { _tag: "ChangePassword", sealed: yield* sealedOf(accountId) })
      assert.isNull(yield* verify({ accountId: other, password: right }))
    }).pipe(Effect.provide(PasswordNode.layer))
  )

  it.effect("is never in the log in clear, nor as a plain hash", () =>
    Effect.gen(function* () {
      const { set } = yield* Passwords
      const accountId = yield* PasswordNode.account
      yield* set({ accountId, password: right })
      const log = yield* logText
      assert.include(log, `Account-${accountId} PasswordChanged {"sealed":"v1.`)
      for (const text of [Redacted.value(right), "scrypt", Buffer.from("$scrypt").toString("base64url")]) {
        assert.notInclude(log, text)
      }
    }).pipe(Effect.provide(PasswordNode.layer))
  )

  it.effect("cannot be set for an unknown or erased account; erasing removes it", () =>
    Effect.gen(function* () {
      const { set, verify } = yield* Passwords
      const accountId = yield* PasswordNode.account
      yield* set({ accountId, password: right })
      yield* execute(accountId, { _tag: "Erase" })
      assert.isNull(yield* verify({ accountId, password: right }))
      const errorAnswers = yield* Effect.forEach(
        [accountId, unknown].flatMap((accountId) =>
          [right, null].map((password) => ({ accountId, password }))
        ),
        (options) => Effect.map(Effect.flip(set(options)), ({ _tag }) => _tag)
      )
      assert.deepStrictEqual(errorAnswers, [
        "AccountClosed",
        "AccountClosed",
        "AccountNotFound",
        "AccountNotFound"
      ])
    }).pipe(Effect.provide(PasswordNode.layer))
  )

  it.effect("is unreadable under another master key, which is logged once, until it is set again", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const before = yield* PasswordNode.start()
      const after = yield* PasswordNode.start(Buffer.alloc(32, 2))
      const accountId = yield* before.on(PasswordNode.account)
      yield* before.passwords.set({ accountId, password: right })
      assert.deepStrictEqual(lines, [])
      for (const password of [right, wrong, right]) {
        assert.isNull(yield* after.passwords.verify({ accountId, password }))
      }
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "MASTER_KEY")
      assert.include(lines[0], accountId)
      yield* after.passwords.set({ accountId, password: right })
      assert.isNotNull(yield* after.passwords.verify({ accountId, password: right }))
      assert.lengthOf(lines, 1)
    }).pipe(
      Effect.provide([
        MemoryEventStore.layer,
        Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
      ])
    )
  })

  it.effect("takes the same time to check when it, its account or its name is missing", () =>
    Effect.gen(function* () {
      const { set, verify } = yield* Passwords
      const accountId = yield* PasswordNode.account
      const { accountId: without } = yield* open(key("another operator", "s3cret"))
      yield* set({ accountId, password: right })
      const { costs } = yield* PasswordNode.watchScrypt
      for (const name of [accountId, without, unknown, "", "acme", "acc_..."]) {
        yield* verify({ accountId: name, password: wrong })
      }
      yield* verify({ accountId, password: Redacted.make("short") })
      assert.lengthOf(costs, 7)
      assert.strictEqual(new Set(costs.map((cost) => JSON.stringify(cost))).size, 1)
    }).pipe(Effect.provide(PasswordNode.layer), Effect.scoped)
  )

  it.live("is checked at most twice concurrently, despite many callers that disconnect", () =>
    Effect.gen(function* () {
      const { set, verify } = yield* Passwords
      const accountId = yield* PasswordNode.account
      yield* set({ accountId, password: right })
      const seen = yield* PasswordNode.watchScrypt
      const look = Effect.map(verify({ accountId, password: right }), (mark) => mark !== null)
      const gone = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(look, { startImmediately: true }))
      yield* Effect.yieldNow
      yield* Effect.forEach(gone, Fiber.interrupt, { concurrency: "unbounded", discard: true }).pipe(
        Effect.forkChild({ startImmediately: true })
      )
      assert.deepStrictEqual(
        yield* Effect.replicateEffect(look, 6, { concurrency: "unbounded" }),
        Array.from({ length: 6 }, () => true)
      )
      assert.strictEqual(seen.most, 2)
      assert.isAtLeast(seen.costs.length, 8)
    }).pipe(
      Effect.provide(
        PasswordNode.nodeLayer(Buffer.alloc(32, 1), { ln: 10, r: 8, p: 1 }).pipe(
          Layer.provideMerge(MemoryEventStore.layer)
        )
      ),
      Effect.scoped
    )
  )
})
