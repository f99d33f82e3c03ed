/** The equal and the differing parts of a delivery's attempts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { defaultGraceMs } from "#domain/account/SigningSecret.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import { caller } from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"

const layer = TestNode.layer({ models: [Facts.model], delivers: true })

const { accountId } = caller()

const currentSecret = Effect.map(
  Effect.flatMap(SigningSecrets, (secrets) => secrets.current(accountId)),
  Redacted.value
)

/** The reference verifier uses the machine's clock, so it checks only the signature here. */
const signaturesOf = (secret: string, { headers, id, text }: Hook.Posted) =>
  new Webhook(secret).sign(id, new Date(Number(headers["webhook-timestamp"]) * 1_000), text)

const assertSigned = (secrets: ReadonlyArray<string>, posted: Hook.Posted) =>
  assert.strictEqual(
    posted.headers["webhook-signature"],
    secrets.map((secret) => signaturesOf(secret, posted)).join(" ")
  )

describe("Every attempt of a delivery", () => {
  for (const [size, input] of [
    ["small", { value: "größer 🦉" }],
    ["large", { value: "x".repeat(inlineLimit + 1) }]
  ] as const) {
    it.effect(`sends the same ${size} body under the same id, with a new signature`, () =>
      Effect.gen(function* () {
        const hook = yield* Hook.make(500)
        const { id } = yield* Facts.ended(hook.url, { input })
        for (let attempt = 1; attempt <= 10; attempt++) {
          yield* Facts.untilAttempts(id, attempt)
          yield* TestClock.adjust(Facts.delayAfter(attempt))
        }
        const [first, ...others] = hook.posted()
        if (first === undefined) return assert.fail("nothing was sent")
        assert.include(first.text, input.value)
        assert.lengthOf(others, 9)
        for (const { id: sent, text } of others) assert.deepStrictEqual([sent, text], [id, first.text])
        const secret = yield* currentSecret
        const timestamps = new Set<string>()
        for (const posted of hook.posted()) {
          const { headers } = posted
          assert.strictEqual(headers["content-type"], "application/json")
          assert.strictEqual(headers["content-length"], String(Buffer.byteLength(first.text)))
          assert.strictEqual(headers["user-agent"], "inferlog-webhooks/1")
          assert.strictEqual(headers["webhook-timestamp"], String(Math.floor(posted.at / 1_000)))
          assertSigned([secret], posted)
          timestamps.add(String(headers["webhook-timestamp"]))
        }
        assert.strictEqual(timestamps.size, 10)
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("is signed with the secrets at its time", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const { id } = yield* Facts.ended(hook.url)
      yield* Facts.untilAttempts(id, 1)
      const before = yield* currentSecret
      const key = Redacted.value((yield* (yield* SigningSecrets).rotate(accountId, defaultGraceMs)).key)
      yield* TestClock.adjust("5 seconds")
      assertSigned([before], yield* hook.until(1))
      assertSigned([key, before], yield* hook.until(2))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is signed with the secret of its account", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      yield* Facts.ended(hook.url, { account: "acc_other" })
      const posted = yield* hook.until(1)
      const secrets = yield* SigningSecrets
      const theirs = Redacted.value(yield* secrets.current(caller("acc_other").accountId))
      assertSigned([theirs], posted)
    }).pipe(Effect.provide(layer))
  )
})
