import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Grant from "#domain/account/Grant.ts"
import type { AccountId } from "#domain/Ids.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { ConsoleSessionActors } from "#src/features/accounts/sessions/ConsoleSessionActors.ts"
import { type Credentials, SignIn } from "#src/edges/oauth/SignIn.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as Callers from "#test/support/Callers.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { key, open } from "#test/support/src/features/accounts/AccountFacts.ts"
import * as PasswordNode from "#test/support/src/features/accounts/PasswordNode.ts"
import { right, wrong } from "#test/support/src/features/accounts/PasswordNode.ts"

const layerOver = <E>(store: Layer.Layer<Layer.Success<typeof MemoryEventStore.layer>, E>) =>
  SignIn.layer.pipe(
    Layer.provideMerge(
      Authentication.layer.pipe(
        Layer.provide([
          MasterKey.layerOf(Buffer.alloc(32)),
          ConsoleSessionActors.layer.pipe(Layer.provide(IdGenerator.layer))
        ])
      )
    ),
    Layer.provideMerge(PasswordNode.nodeLayer()),
    Layer.provideMerge(store)
  )

const layer = layerOver(MemoryEventStore.layer)

const home = "127.0.0.1"
const somewhere = "93.184.216.34"

const attempt = (credentials: Credentials, clientAddress = home) =>
  Effect.flatMap(SignIn, (signIn) => signIn.attempt(credentials, clientAddress))

const byKey = (text: string, clientAddress = home) =>
  attempt({ _tag: "Key", text: Redacted.make(text) }, clientAddress)

const byPassword = (account: string, password: Redacted.Redacted, clientAddress = home) =>
  attempt({ _tag: "Password", account, password }, clientAddress)

/** The tag of the result, also of a refusal. */
const tagOf = <A extends { readonly _tag: string }, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>
) =>
  Effect.match(effect, {
    onFailure: ({ _tag }): string => _tag,
    onSuccess: ({ _tag }): string => _tag
  })

const operator = key("operator", "s3cret")

/** An account whose password is `right`. */
const account = Effect.gen(function* () {
  const { accountId } = yield* open(operator)
  yield* (yield* Passwords).set({ accountId, password: right })
  return accountId
})

const times = (count: number, effect: Effect.Effect<string, never, SignIn>) =>
  Effect.map(Effect.replicateEffect(effect, count), (tags) => [...new Set(tags)])

const guess = (accountId: AccountId, clientAddress = home) =>
  tagOf(byPassword(accountId, wrong, clientAddress))

describe("Signing in by a key", () => {
  it.effect.each([
    "operator:s3cret",
    "  operator:s3cret\r\n",
    "Key operator:s3cret",
    " key  operator:s3cret "
  ])("accepts %j", (text) =>
    Effect.gen(function* () {
      const { accountId } = yield* open(operator)
      const signedIn = yield* byKey(text)
      assert.deepStrictEqual(signedIn, {
        _tag: "ByKey",
        presented: { keyId: operator.keyId, secretHash: ApiKey.hashSecret(operator.secret) },
        caller: Callers.of(accountId, operator.keyId)
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([
    "",
    "Key",
    "operator",
    "operator:",
    "operator:S3cret",
    "nobody:s3cret",
    "Bearer operator:s3cret"
  ])("rejects %j", (text) =>
    Effect.gen(function* () {
      yield* open(operator)
      assert.strictEqual(yield* tagOf(byKey(text)), "SignInRefused")
    }).pipe(Effect.provide(layer))
  )

  it.effect("rejects a previous secret, and a revoked key", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* open(operator)
      const rotated = yield* accounts.rotateKey({ keyId: operator.keyId, graceMs: 60_000 })
      const { recognize } = yield* Authentication
      const before = ApiKey.present(ApiKey.format(operator))
      assert.isTrue(before !== null && (yield* recognize(before)).isSuperseded)
      assert.strictEqual(yield* tagOf(byKey(ApiKey.format(operator))), "SignInRefused")
      assert.strictEqual(yield* tagOf(byKey(ApiKey.format(rotated.key))), "ByKey")
      yield* accounts.revokeKey(operator.keyId)
      assert.strictEqual(yield* tagOf(byKey(ApiKey.format(rotated.key))), "SignInRefused")
    }).pipe(Effect.provide(layer))
  )

  it.effect("reports a key without a scope for any tool", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { accountId } = yield* open(operator)
      const issue = (scopes: Grant.Grant["scopes"]) =>
        Effect.map(
          accounts.issueKey({ accountId, name: "some", grant: { ...Grant.unlimited, scopes } }),
          ApiKey.format
        )
      assert.strictEqual(yield* tagOf(byKey(yield* issue(["billing:read"]))), "NothingGranted")
      assert.strictEqual(yield* tagOf(byKey(yield* issue(["billing:read", "requests:read"]))), "ByKey")
    }).pipe(Effect.provide(layer))
  )

  it.effect("reports after 30 wrong keys from an address how long it is limited", () =>
    Effect.gen(function* () {
      const accountId = yield* account
      const guessing = byKey("nobody:s3cret", somewhere)
      assert.deepStrictEqual(yield* times(30, tagOf(guessing)), ["SignInRefused"])
      const refused = yield* Effect.flip(guessing)
      assert.deepInclude(refused, { _tag: "TooManySignIns", retryAfterSeconds: 20 })
      assert.strictEqual(yield* tagOf(byKey("nobody:s3cret", "93.184.216.35")), "SignInRefused")
      assert.strictEqual(yield* tagOf(byPassword(accountId, right, somewhere)), "ByPassword")
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* tagOf(guessing), "SignInRefused")
      assert.strictEqual(yield* tagOf(guessing), "TooManySignIns")
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([somewhere, home])("accepts a right key from %s, despite many wrong ones", (from) =>
    Effect.gen(function* () {
      yield* open(operator)
      const mine = ApiKey.format(operator)
      assert.deepStrictEqual(yield* times(200, tagOf(byKey(mine, from))), ["ByKey"])
      const guesses = yield* times(200, tagOf(byKey("nobody:s3cret", from)))
      assert.deepStrictEqual(guesses, ["SignInRefused", "TooManySignIns"])
      assert.deepStrictEqual(yield* times(200, tagOf(byKey(mine, from))), ["ByKey"])
      assert.strictEqual(yield* tagOf(byKey("nobody:s3cret", from)), "TooManySignIns")
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not count a right key without grants", () =>
    Effect.gen(function* () {
      const { accountId } = yield* open(operator)
      const grant = { ...Grant.unlimited, scopes: ["billing:read"] } as const
      const key = yield* (yield* Accounts).issueKey({ accountId, name: "some", grant })
      const tags = yield* times(200, tagOf(byKey(ApiKey.format(key), somewhere)))
      assert.deepStrictEqual(tags, ["NothingGranted"])
    }).pipe(Effect.provide(layer))
  )
})

describe("Signing in by a password", () => {
  it.effect("accepts the account's own, and rejects everything else with one error", () =>
    Effect.gen(function* () {
      const accountId = yield* account
      const passwordMark = (yield* (yield* Passwords).mark(accountId)) ?? ""
      const signedIn = { _tag: "ByPassword", accountId, passwordMark } as const
      assert.deepStrictEqual(yield* byPassword(`\t${accountId} `, right), signedIn)
      for (const name of ["acc_0000000000000000", "", "acme", accountId.toUpperCase()]) {
        assert.strictEqual(yield* tagOf(byPassword(name, right)), "SignInRefused")
      }
      assert.strictEqual(yield* tagOf(byPassword(accountId, wrong)), "SignInRefused")
      yield* (yield* Passwords).set({ accountId, password: null })
      assert.strictEqual(yield* tagOf(byPassword(accountId, right)), "SignInRefused")
    }).pipe(Effect.provide(layer))
  )

  it.effect("rejects even a right one after 10 wrong ones; keys are not affected", () =>
    Effect.gen(function* () {
      const accountId = yield* account
      assert.deepStrictEqual(yield* times(10, guess(accountId, somewhere)), ["SignInRefused"])
      const refused = yield* Effect.flip(byPassword(accountId, right))
      assert.deepInclude(refused, { _tag: "TooManySignIns", retryAfterSeconds: 90 })
      assert.strictEqual(yield* tagOf(byKey(ApiKey.format(operator), somewhere)), "ByKey")
      yield* TestClock.adjust("90 seconds")
      assert.strictEqual(yield* tagOf(byPassword(accountId, right)), "ByPassword")
    }).pipe(Effect.provide(layer))
  )

  it.effect("allows at most 10 guesses, also concurrent ones, and checks only those", () =>
    Effect.gen(function* () {
      const accountId = yield* account
      const seen = yield* PasswordNode.watchScrypt
      const tags = yield* Effect.replicateEffect(guess(accountId), 30, { concurrency: "unbounded" })
      assert.lengthOf(
        tags.filter((tag) => tag === "SignInRefused"),
        10
      )
      assert.lengthOf(
        tags.filter((tag) => tag === "TooManySignIns"),
        20
      )
      assert.lengthOf(seen.costs, 10)
    }).pipe(Effect.provide(layer), Effect.scoped)
  )

  it.effect("counts a guess whose caller disconnected", () =>
    Effect.gen(function* () {
      const accountId = yield* account
      for (let count = 0; count < 10; count++) {
        const guessing = yield* Effect.forkChild(guess(accountId), { startImmediately: true })
        yield* Fiber.interrupt(guessing)
      }
      assert.strictEqual(yield* tagOf(byPassword(accountId, right)), "TooManySignIns")
    }).pipe(Effect.provide(layer))
  )

  it.effect("counts no guess while the log is unavailable", () => {
    let isAway = false
    const away = Effect.suspend(() =>
      isAway ? Effect.fail(new EventStoreError({ reason: "The log of the test is away" })) : Effect.void
    )
    const store = Layer.effect(
      EventStore,
      Effect.map(EventStore, (store) =>
        EventStore.of({ ...store, read: (...args) => Effect.andThen(away, store.read(...args)) })
      )
    ).pipe(Layer.provideMerge(MemoryEventStore.layer))
    return Effect.gen(function* () {
      const accountId = yield* account
      isAway = true
      assert.deepStrictEqual(yield* times(40, guess(accountId)), ["EventStoreError"])
      isAway = false
      assert.strictEqual(yield* tagOf(byPassword(accountId, right)), "ByPassword")
    }).pipe(Effect.provide(layerOver(store)))
  })
})
