import { assert, describe, it } from "@effect/vitest"
import {
  type VerifyOptions,
  verifyWebhook,
  WebhookVerificationError
} from "#clients/typescript/VerifyWebhook.ts"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"

const now = Date.parse("2026-01-05T12:00:00Z")
const secretOf = (fill: number) => StandardWebhooks.secretText(Buffer.alloc(32, fill))
const text = JSON.stringify({ event: "completed", output: "Héllo ☃" })

/** As the server signs it, with all of these secrets. */
const delivery = (secrets: ReadonlyArray<string>, at = now, body = text) => {
  const timestamp = Math.floor(at / 1_000)
  const signatures = secrets.map((secret) =>
    StandardWebhooks.signature(Buffer.from(secret.slice(6), "base64"), {
      id: "msg_1",
      timestamp,
      body: Buffer.from(body)
    })
  )
  return {
    body,
    headers: {
      "webhook-id": "msg_1",
      "webhook-timestamp": `${timestamp}`,
      "webhook-signature": signatures.join(" ")
    }
  }
}

const reasonOf = async (options: Partial<VerifyOptions>, given = delivery([secretOf(1)])) => {
  try {
    await verifyWebhook({ ...given, secret: secretOf(1), now, ...options })
    return "verified"
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    assert.notInclude(error.message, "whsec_A")
    return error.reason
  }
}

describe("verifyWebhook of the TypeScript client", () => {
  it("returns what the server has signed, as text, bytes and buffer", async () => {
    const { body, headers } = delivery([secretOf(1)])
    const bytes = new TextEncoder().encode(body)
    for (const form of [body, bytes, bytes.buffer]) {
      const event = await verifyWebhook({ body: form, headers, secret: secretOf(1), now })
      assert.deepStrictEqual(event as unknown, JSON.parse(text))
    }
    const inside = new Uint8Array([1, ...bytes, 2]).subarray(1, -1)
    await verifyWebhook({ body: inside, headers: new Headers(headers), secret: secretOf(1), now })
  })

  it("accepts one match of several secrets and signatures, as within a rotation", async () => {
    const given = delivery([secretOf(2), secretOf(1)])
    assert.strictEqual(await reasonOf({}, given), "verified")
    assert.strictEqual(await reasonOf({ secret: [secretOf(3), secretOf(2)] }, given), "verified")
    assert.strictEqual(await reasonOf({ secret: [secretOf(3), secretOf(4)] }, given), "no_match")
  })

  it("finds headers in any case and in lists, and names the missing one", async () => {
    const { headers } = delivery([secretOf(1)])
    const shouted = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]])
    )
    assert.strictEqual(await reasonOf({ headers: shouted }), "verified")
    // Those of a framework, which are not the global class.
    const own: Pick<Headers, "get"> = { get: (name) => new Map(Object.entries(headers)).get(name) ?? null }
    assert.strictEqual(await reasonOf({ headers: own as Headers }), "verified")
    for (const name of Object.keys(headers)) {
      assert.strictEqual(await reasonOf({ headers: { ...headers, [name]: undefined } }), "missing_header")
      assert.strictEqual(await reasonOf({ headers: { ...headers, [name]: "" } }), "missing_header")
    }
  })

  it("refuses what is too old or too new, to the second", async () => {
    const at = (ms: number) => reasonOf({}, delivery([secretOf(1)], now + ms))
    assert.strictEqual(await at(-300_000), "verified")
    assert.strictEqual(await at(300_000), "verified")
    assert.strictEqual(await at(-301_000), "too_old")
    assert.strictEqual(await at(301_000), "too_new")
    assert.strictEqual(await reasonOf({ tolerance: 1_000, now: now + 2_000 }), "too_old")
    const { headers } = delivery([secretOf(1)])
    for (const timestamp of ["soon", "1.5", "-1", "177777777777", "0x1"]) {
      const reason = await reasonOf({ headers: { ...headers, "webhook-timestamp": timestamp } })
      assert.strictEqual(reason, "malformed_timestamp")
    }
  })

  it("refuses changed bodies, ids, times and signatures", async () => {
    const { headers } = delivery([secretOf(1)])
    assert.strictEqual(await reasonOf({ body: `${text} ` }), "no_match")
    for (const changed of [
      { "webhook-id": "msg_2" },
      { "webhook-timestamp": `${now / 1_000 - 1}` },
      { "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,") },
      { "webhook-signature": "v1,AAAA" },
      { "webhook-signature": "v1, nothing" }
    ]) {
      assert.strictEqual(await reasonOf({ headers: { ...headers, ...changed } }), "no_match")
    }
  })

  it("says that a secret is none, and that a parsed body is none", async () => {
    for (const secret of ["whsec_", "whsec_AAA", "whsec_!", "whsec_-_-_", ""]) {
      assert.strictEqual(await reasonOf({ secret }), "malformed_secret")
    }
    let thrown: unknown
    try {
      await reasonOf({ body: JSON.parse(text) })
    } catch (error) {
      thrown = error
    }
    assert.instanceOf(thrown, TypeError)
  })
})
