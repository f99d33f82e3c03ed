/** Receivers that verify with third-party libraries. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { defaultGraceMs } from "#domain/account/SigningSecret.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import * as SigningNode from "#test/support/src/features/webhooks/SigningNode.ts"
import { byAll, byNone, type Signed, verified } from "#test/support/src/features/webhooks/Verifiers.ts"

/** Seconds. The libraries use the machine's clock. */
const now = () => Math.floor(Date.now() / 1_000)

const sign = Effect.fnUntraced(function* (
  accountId: Parameters<SigningSecrets["Service"]["sign"]>[0],
  body: string,
  id = "msg_0123456789abcdefABCDEF"
) {
  const timestamp = now()
  const message = { id, timestamp, body: Buffer.from(body) }
  const signature = yield* (yield* SigningSecrets).sign(accountId, message)
  return { id, timestamp, signature, body } satisfies Signed
})

const text = fc.string({ unit: "binary", maxLength: 300 })
const bodies = fc.oneof(
  fc.record({ event: fc.constantFrom("start", "completed"), input: fc.dictionary(text, text), error: text }),
  fc.json().map((json): unknown => JSON.parse(json)),
  fc.constantFrom({}, "", 0, null, [], " ", "\r\n", "\u0000", "👩‍👩‍👧‍👦", "\ud800")
)

describe("Three foreign verifiers", () => {
  it.effect("accept signed requests, with any body", () =>
    Effect.gen(function* () {
      const accountId = yield* SigningNode.account
      const secret = Redacted.value(yield* (yield* SigningSecrets).current(accountId))
      const samples = fc.sample(bodies, { numRuns: 300, seed: 20_260_801 })
      const megabyte = { input: "ä€😀".repeat(2 ** 20 / 9) }
      for (const body of [...samples, megabyte].map((value) => JSON.stringify(value))) {
        assert.deepStrictEqual(yield* verified(secret, yield* sign(accountId, body)), byAll, body)
      }
    }).pipe(Effect.provide(SigningNode.layer))
  )

  it.effect("reject another body, id, timestamp, signature or secret", () =>
    Effect.gen(function* () {
      const secrets = yield* SigningSecrets
      const accountId = yield* SigningNode.account
      const secret = Redacted.value(yield* secrets.current(accountId))
      const request = yield* sign(accountId, `{"status":"COMPLETED","cost":"0.007"}`)
      assert.deepStrictEqual(yield* verified(secret, request), byAll)
      const others: ReadonlyArray<Partial<Signed>> = [
        { body: request.body.replace("7", "8") },
        { body: `${request.body}\n` },
        { body: ` ${request.body}` },
        { id: "msg_0123456789abcdefABCDEG" },
        { timestamp: request.timestamp + 1 },
        { timestamp: request.timestamp - 1 },
        { signature: request.signature.replace("v1,", "v1,A") },
        { signature: "v1," }
      ]
      for (const other of others) {
        assert.deepStrictEqual(
          yield* verified(secret, { ...request, ...other }),
          byNone,
          JSON.stringify(other)
        )
      }
      const stranger = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
      assert.deepStrictEqual(yield* verified(stranger, request), byNone)
    }).pipe(Effect.provide(SigningNode.layer))
  )

  it.effect("accept both secrets for 24 h after a rotation, and then only the new one", () =>
    Effect.gen(function* () {
      const secrets = yield* SigningSecrets
      const accountId = yield* SigningNode.account
      const previous = Redacted.value(yield* secrets.current(accountId))
      const rotated = Redacted.value((yield* secrets.rotate(accountId, defaultGraceMs)).key)
      const day = 24 * 60 * 60 * 1_000
      for (const [millis, byPrevious] of [
        [0, byAll],
        [day - 1_000, byAll],
        [day + 1_000, byNone]
      ] as const) {
        yield* TestClock.setTime(millis)
        const request = yield* sign(accountId, `{"at":${millis}}`)
        assert.deepStrictEqual(yield* verified(rotated, request), byAll)
        assert.deepStrictEqual(yield* verified(previous, request), byPrevious)
      }
    }).pipe(Effect.provide(SigningNode.layer))
  )
})
