import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Grant from "#domain/account/Grant.ts"
import { Origin } from "#domain/account/Origin.ts"
import { AccountId, KeyId, RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as Token from "#src/features/accounts/tokens/Token.ts"
import { Tokens, type Wanted } from "#src/features/accounts/tokens/Tokens.ts"
import * as TokenUse from "#src/features/accounts/tokens/TokenUse.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { key, logText, open } from "#test/support/src/features/accounts/AccountFacts.ts"

const layer = Tokens.layer.pipe(Layer.provideMerge(TestNode.layer({ dispatches: false })))

const echo = ModelEndpoint.make("sandbox/echo")
const ocr = ModelEndpoint.make("vision/ocr")
const app = Origin.make("https://app.example")
const other = Origin.make("https://other.example")
const minute = 60_000

/** The tag of the failure, or the caller. */
const callerOf = (text: string) =>
  Effect.flatMap(Authentication, ({ authenticate }) =>
    Effect.catchTag(authenticate(`Bearer ${text}`), "Unauthorized", () => Effect.succeed(null))
  )

const issue = Effect.fnUntraced(function* (grant: Partial<Grant.Grant> = {}) {
  const accounts = yield* Accounts
  const { accountId } = yield* open(key("operator", "s3cret"))
  return yield* accounts.issueKey({ accountId, name: "app", grant: { ...Grant.unlimited, ...grant } })
})

const make = Effect.fnUntraced(function* (of: ApiKey.ApiKey, wanted: Partial<Wanted> = {}) {
  const caller = yield* (yield* Authentication).authenticate(`Key ${ApiKey.format(of)}`)
  return yield* (yield* Tokens).make({
    caller,
    secretHash: ApiKey.hashSecret(of.secret),
    lifeMs: minute,
    models: [echo],
    request: null,
    isReadOnly: false,
    user: null,
    origins: undefined,
    ...wanted
  })
})

describe("A token", () => {
  it.effect("is of its key's account, with what it names of the key's rights", () =>
    Effect.gen(function* () {
      const of = yield* issue({ origins: [app, other] })
      const { claims, text } = yield* make(of, { origins: [app] })
      const caller = yield* callerOf(text)
      assert.strictEqual(caller?.keyId, of.keyId)
      assert.deepStrictEqual(caller?.grant, {
        scopes: ["requests:write", "requests:read"],
        modelEndpoints: [echo],
        monthlyBudget: null,
        expiresAt: claims.expiresAt,
        origins: [app]
      })
      assert.deepStrictEqual(caller?.token, { id: claims.id, request: null, isReadOnly: false })
      const reads = yield* callerOf((yield* make(of, { models: null, isReadOnly: true })).text)
      assert.deepStrictEqual(reads?.grant.scopes, ["requests:read"])
      assert.deepStrictEqual(reads?.grant.origins, [app, other])
      const narrow = yield* issue({ scopes: ["requests:read", "billing:read", "keys:admin"] })
      const narrowed = yield* callerOf((yield* make(narrow)).text)
      assert.deepStrictEqual(narrowed?.grant.scopes, ["requests:read"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("names no model and no origin that its key may not", () =>
    Effect.gen(function* () {
      const of = yield* issue({ modelEndpoints: [echo], origins: [app] })
      const refused = yield* Effect.flip(make(of, { models: [echo, ocr], origins: [other] }))
      assert.deepInclude(refused, { _tag: "TokenExceedsKey", fields: ["models", "origins"] })
      assert.isNotNull(yield* callerOf((yield* make(yield* issue(), { origins: [other] })).text))
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends when its time is up, and no later than its key", () =>
    Effect.gen(function* () {
      const { text } = yield* make(yield* issue())
      const short = yield* make(yield* issue({ expiresAt: 30_000 }))
      assert.strictEqual(short.claims.expiresAt, 30_000)
      yield* TestClock.adjust(minute - 1)
      assert.isNull(yield* callerOf(short.text))
      assert.isNotNull(yield* callerOf(text))
      yield* TestClock.adjust(1)
      assert.isNull(yield* callerOf(text))
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends with its key, and with the account", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const revoked = yield* issue()
      const { text } = yield* make(revoked)
      const kept = yield* make(yield* issue())
      yield* accounts.revokeKey(revoked.keyId)
      assert.isNull(yield* callerOf(text))
      const caller = yield* callerOf(kept.text)
      assert.isNotNull(caller)
      const { accountId } = caller ?? { accountId: AccountId.make("none") }
      yield* (yield* AccountActors).execute(accountId, { _tag: "Erase", at: 0 })
      assert.isNull(yield* callerOf(kept.text))
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends with the secret that made it", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const of = yield* issue()
      const { text } = yield* make(of, { lifeMs: 10 * minute })
      const rotated = yield* accounts.rotateKey({ keyId: of.keyId, graceMs: minute })
      assert.isNotNull(yield* callerOf(text))
      // The previous secret still makes tokens, which end with it.
      const late = yield* make(of, { lifeMs: 10 * minute })
      const fresh = yield* make(rotated.key, { lifeMs: 10 * minute })
      assert.isNotNull(yield* callerOf(late.text))
      yield* TestClock.adjust(minute)
      assert.isNull(yield* callerOf(text))
      assert.isNull(yield* callerOf(late.text))
      assert.isNotNull(yield* callerOf(fresh.text))
      yield* accounts.rotateKey({ keyId: of.keyId, graceMs: 0 })
      assert.isNull(yield* callerOf(fresh.text))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is refused when any character was changed, and for another key", () =>
    Effect.gen(function* () {
      const of = yield* issue()
      const another = yield* issue()
      const { text } = yield* make(of)
      assert.isNotNull(yield* callerOf(text))
      for (let at = 0; at < text.length; at++) {
        const character = text[at] === "A" ? "B" : "A"
        const changed = `${text.slice(0, at)}${character}${text.slice(at + 1)}`
        // The last character of 32 bytes in base64url has two spare bits.
        if (at < text.length - 1) assert.isNull(yield* callerOf(changed), String(at))
      }
      assert.isNull(yield* callerOf(text.replace(of.keyId, another.keyId)))
      assert.isNull(yield* callerOf(text.replace(of.keyId, "key_0123456789abcdef_nobody00")))
      assert.isNull(yield* callerOf(text.slice(0, -1)))
    }).pipe(Effect.provide(layer))
  )

  it.effect("needs the master key of the nodes, and lives an hour at most by the clock of each", () =>
    Effect.gen(function* () {
      const of = yield* issue()
      const { claims } = yield* make(of)
      const own = (yield* MasterKey).keyFor(Token.purpose)
      const named = { keyId: of.keyId, secretHash: ApiKey.hashSecret(of.secret) }
      const sign = (masterKey: Buffer, expiresAt = claims.expiresAt) =>
        callerOf(Token.sign(masterKey, named, { ...claims, expiresAt }))
      assert.isNotNull(yield* sign(own))
      assert.isNull(yield* sign(Buffer.alloc(32, 9)))
      // A node whose clock is ahead by some minutes.
      assert.isNotNull(yield* sign(own, Token.longestMs + 5 * minute))
      assert.isNull(yield* sign(own, Token.longestMs + 5 * minute + 1))
    }).pipe(Effect.provide(layer))
  )

  it.effect("of a user has the user's id, which is another in each account and hides the name", () =>
    Effect.gen(function* () {
      const of = yield* issue()
      const idOf = (user: string | null) => Effect.map(make(of, { user }), ({ claims }) => claims.id)
      const ada = yield* idOf("ada")
      assert.match(ada, /^[\w-]{16}$/)
      assert.strictEqual(yield* idOf("ada"), ada)
      assert.notStrictEqual(yield* idOf("bob"), ada)
      assert.notStrictEqual(yield* idOf(null), yield* idOf(null))
      const key = Buffer.alloc(32)
      const [one = "", two] = ["acc_1", "acc_2"].map((id) => Token.idOfUser(key, AccountId.make(id), "ada"))
      assert.notStrictEqual(one, two)
    }).pipe(Effect.provide(layer))
  )

  it.effect("leaves nothing on the log", () =>
    Effect.gen(function* () {
      const of = yield* issue()
      const before = yield* logText
      const { claims } = yield* make(of)
      assert.strictEqual(yield* logText, before)
      assert.notInclude(before, claims.id)
    }).pipe(Effect.provide(layer))
  )

  it("is never longer than a header may be", () => {
    const long = "m".repeat(64)
    const text = Token.sign(
      Buffer.alloc(32),
      { keyId: KeyId.make("k".repeat(64)), secretHash: ApiKey.sha256Hex("") },
      {
        id: Token.makeId(),
        expiresAt: Date.UTC(2026, 0),
        models: Array.from({ length: 20 }, () => ModelEndpoint.make(`${long}/${long}`)),
        request: null,
        isReadOnly: false,
        origins: Array.from({ length: 10 }, () => Origin.make(`https://${"o".repeat(253)}:65535`))
      }
    )
    assert.isNotNull(Token.present(text))
    assert.isBelow(text.length, 8_192)
  })
})

describe("What a token opens", () => {
  const id = RequestId.make("rq0qXk2Ab-0Zp1aB3dE5f")
  const one = { id: "a", request: id, isReadOnly: false }
  const submits = { id: "a", request: null, isReadOnly: false }
  const reads = { id: "a", request: null, isReadOnly: true }

  it.each([
    [one, ["request"]],
    [{ ...one, isReadOnly: true }, ["request"]],
    [submits, ["submit", "request"]],
    [reads, ["request", "reads"]]
  ] as const)("%j: only calls of the kinds %j", (token, kinds) => {
    const all = ["none", "submit", "request", "reads"] as const
    assert.deepStrictEqual(
      all.filter((kind) => TokenUse.allowsCall(token, kind)),
      [...kinds]
    )
  })

  it("its own requests, the one that it names, or all that it may read", () => {
    const another = RequestId.make("rq0qXk2Ab-0Zp1aB3dE5g")
    const opened = (token: TokenUse.CallerToken) =>
      [
        { id, submittedBy: "a" },
        { id, submittedBy: "b" },
        { id: another, submittedBy: undefined },
        { id: another, submittedBy: "a" }
      ].map((asked) => TokenUse.allowsRequest(token, asked))
    assert.deepStrictEqual(opened(one), [true, true, false, false])
    assert.deepStrictEqual(opened(submits), [true, false, false, true])
    assert.deepStrictEqual(opened(reads), [true, true, true, true])
  })
})
