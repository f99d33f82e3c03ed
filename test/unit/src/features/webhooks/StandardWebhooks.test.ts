import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"

/** The vector of the specification's libraries. */
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const received = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: "1614265330",
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  body: Buffer.from(`{"test": 2432232314}`)
} satisfies StandardWebhooks.Received
const now = 1_614_265_330_000

const key = Result.getOrThrow(StandardWebhooks.secretBytes(secret))

const check = (changed: Partial<Parameters<typeof StandardWebhooks.check>[0]> = {}) =>
  StandardWebhooks.check({ received, secret, now, ...changed })

const outcomes = (
  changed: Partial<StandardWebhooks.Received>,
  options: Parameters<typeof check>[0] = {}
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    check({ received: { ...received, ...changed }, ...options }).map(({ name, outcome }) => [name, outcome])
  )

const allOk = {
  headers: "ok",
  "webhook-id": "ok",
  "webhook-timestamp": "ok",
  tolerance: "ok",
  secret: "ok",
  "webhook-signature": "ok",
  match: "ok"
}

describe("A signature", () => {
  it("equals the published vector", () => {
    const { body, id, signature } = received
    assert.strictEqual(StandardWebhooks.signature(key, { id, timestamp: 1_614_265_330, body }), signature)
    assert.strictEqual(StandardWebhooks.signature(key, { id, timestamp: "1614265330", body }), signature)
  })

  it("uses the bytes behind whsec_ as its key", () => {
    assert.strictEqual(key.length, 24)
    assert.strictEqual(StandardWebhooks.secretText(key), secret)
    for (const length of [1, 2, 3, 32, 64]) {
      const bytes = Buffer.alloc(length, 0xfb)
      const again = StandardWebhooks.secretBytes(StandardWebhooks.secretText(bytes))
      assert.deepStrictEqual(Result.getOrThrow(again), bytes)
    }
  })

  it("accepts only whsec_ and standard base64 as its key, and never quotes another value", () => {
    const encoded = secret.slice("whsec_".length)
    const others = [
      "",
      "whsec_",
      encoded,
      `WHSEC_${encoded}`,
      ` ${secret}`,
      `${secret}\n`,
      "whsec_A",
      "whsec_AA",
      "whsec_AA=",
      "whsec_AAAA====",
      "whsec_-_-_",
      "key_0123456789abcdef_abcDEF12:hunter2"
    ]
    for (const other of others) {
      const bytes = StandardWebhooks.secretBytes(other)
      if (Result.isSuccess(bytes)) return assert.fail(`it is accepted: ${other}`)
      assert.strictEqual(bytes.failure._tag, "MalformedSecret")
      if (other !== "" && other !== "whsec_") assert.notInclude(bytes.failure.message, other)
    }
  })
})

describe("Checking a request", () => {
  it("accepts a genuine one, and returns its details", () => {
    assert.deepStrictEqual(outcomes({}), allOk)
    assert.notInclude(JSON.stringify(check()), secret.slice("whsec_".length))
  })

  it("accepts any of the signatures, of version v1 only", () => {
    const other = StandardWebhooks.signature(Buffer.from("another"), received)
    const { signature } = received
    for (const signatures of [`${other} ${signature}`, `v1a,AAAA ${signature} v2,BBBB`]) {
      assert.deepStrictEqual(outcomes({ signature: signatures }), allOk)
    }
    for (const signatures of [
      other,
      `${other} ${other}`,
      signature.slice(0, -1),
      `${signature}=`,
      "v1,AAAA"
    ]) {
      assert.deepStrictEqual(outcomes({ signature: signatures }), { ...allOk, match: "failed" })
    }
    for (const signatures of [signature.replace("v1", "v2"), "v1,", "v1a,AAAA", signature.slice(3)]) {
      const expected = { ...allOk, "webhook-signature": "failed", match: "skipped" }
      assert.deepStrictEqual(outcomes({ signature: signatures }), expected)
    }
  })

  it("rejects another body, id, secret or timestamp", () => {
    const mismatch = { ...allOk, match: "failed" }
    assert.deepStrictEqual(outcomes({ body: Buffer.from(`{"test":2432232314}`) }), mismatch)
    assert.deepStrictEqual(outcomes({ body: Buffer.alloc(0) }), mismatch)
    assert.deepStrictEqual(outcomes({ id: "msg_p5jXN8AQM9LWM0D4loKWxJel" }), mismatch)
    assert.deepStrictEqual(outcomes({ timestamp: "1614265331" }), mismatch)
    assert.deepStrictEqual(outcomes({ timestamp: "01614265330" }), mismatch)
    const stranger = StandardWebhooks.secretText(Buffer.alloc(32, 7))
    assert.deepStrictEqual(outcomes({}, { secret: stranger }), mismatch)
  })

  it("accepts a timestamp within 300 s in either direction, or within the given tolerance", () => {
    const late = { ...allOk, tolerance: "failed" }
    for (const [seconds, expected] of [
      [-301, late],
      [-300, allOk],
      [300, allOk],
      [301, late]
    ] as const) {
      assert.deepStrictEqual(outcomes({}, { now: now + seconds * 1_000 }), expected)
    }
    assert.deepStrictEqual(outcomes({}, { now: now + 300_999 }), allOk)
    assert.deepStrictEqual(outcomes({}, { now: now + 1_000, tolerance: 0 }), late)
    assert.deepStrictEqual(outcomes({}, { now: now + 86_400_000, tolerance: 86_400 }), allOk)
  })

  it("names a missing header, and runs the other checks", () => {
    for (const absent of [null, ""]) {
      const without = { ...allOk, headers: "failed", match: "skipped" }
      assert.deepStrictEqual(outcomes({ id: absent }), { ...without, "webhook-id": "skipped" })
      assert.deepStrictEqual(outcomes({ timestamp: absent }), {
        ...without,
        "webhook-timestamp": "skipped",
        tolerance: "skipped"
      })
      assert.deepStrictEqual(outcomes({ signature: absent }), { ...without, "webhook-signature": "skipped" })
    }
    const [headers] = check({ received: { ...received, id: null, signature: "" } })
    assert.strictEqual(headers?.detail, "without webhook-id, webhook-signature")
  })

  it("rejects an id with a full stop, a fractional timestamp and a malformed secret", () => {
    const noMatch = { ...allOk, match: "skipped" }
    assert.deepStrictEqual(outcomes({ id: "msg.1" }), { ...noMatch, "webhook-id": "failed" })
    const dates = ["abc", "2021-02-25T15:02:10Z", "1614265330000"]
    for (const timestamp of ["1614265330.5", "-1", "1e9", " 1614265330", "0x10", ...dates]) {
      const expected = { ...noMatch, "webhook-timestamp": "failed", tolerance: "skipped" }
      assert.deepStrictEqual(outcomes({ timestamp }), expected, timestamp)
    }
    const expected = { ...allOk, secret: "failed", match: "skipped" }
    assert.deepStrictEqual(outcomes({}, { secret: "hunter2" }), expected)
    assert.notInclude(JSON.stringify(check({ secret: "hunter2" })), "hunter2")
  })
})
