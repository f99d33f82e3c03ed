import * as crypto from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as DeadlineHeaders from "#src/edges/api/requests/DeadlineHeaders.ts"
import * as EntityTag from "#src/edges/http/requests/EntityTag.ts"
import * as IdempotencyHeader from "#src/edges/api/requests/IdempotencyHeader.ts"
import * as MetadataHeader from "#src/edges/api/requests/MetadataHeader.ts"
import type { Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as Wait from "#src/edges/api/requests/Wait.ts"

const codesOf = (parsed: Parsed<unknown>) =>
  Result.isFailure(parsed) ? parsed.failure.map(({ code }) => code) : []

describe("Prefer", () => {
  it.each([
    [undefined, null],
    ["", null],
    ["respond-async", null],
    ["wait", 60_000],
    ["wait=1", 1_000],
    ["wait=60", 60_000],
    ['Wait = "7"', 7_000],
    ["respond-async, wait=10; foo=bar", 10_000],
    ["waiting=5", null]
  ])("%s waits %s ms", (header, ms) => {
    assert.deepStrictEqual(Wait.preferred(header), Result.succeed(ms))
  })

  it.each(["wait=0", "wait=61", "wait=", "wait=1.5", "wait=-1", "wait=1=1", `wait=${" ".repeat(9000)}x`])(
    "%s is rejected",
    (header) => {
      assert.deepStrictEqual(codesOf(Wait.preferred(header)), ["range"])
    }
  )
})

describe("X-Request-Start-Timeout and Cancel-After", () => {
  it.each([
    [{}, { startTimeoutMs: null, cancelAfterMs: null }],
    [{ "x-request-start-timeout": "1" }, { startTimeoutMs: 1_000, cancelAfterMs: null }],
    [{ "cancel-after": "90" }, { startTimeoutMs: null, cancelAfterMs: 90_000 }],
    [{ "cancel-after": "90s" }, { startTimeoutMs: null, cancelAfterMs: 90_000 }],
    [{ "cancel-after": " 5m " }, { startTimeoutMs: null, cancelAfterMs: 300_000 }],
    [{ "cancel-after": "720h" }, { startTimeoutMs: null, cancelAfterMs: 2_592_000_000 }]
  ])("%j", (headers, deadlines) => {
    assert.deepStrictEqual(DeadlineHeaders.parse(headers), Result.succeed(deadlines))
  })

  it.each(["", "0", "0s", "-1", "1.5", "5d", "721h", "1e3", "toString", "5 m"])(
    "%s is rejected in both",
    (value) => {
      const headers = { "x-request-start-timeout": value, "cancel-after": value }
      assert.deepStrictEqual(codesOf(DeadlineHeaders.parse(headers)), ["duration", "duration"])
    }
  )

  it("the start timeout accepts no units", () => {
    assert.deepStrictEqual(codesOf(DeadlineHeaders.parse({ "x-request-start-timeout": "5m" })), ["duration"])
  })
})

describe("X-Request-Metadata", () => {
  const sixteen = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`key${index}`, "value"]))

  it.each([{}, { a: "b", "": "" }, sixteen, { constructor: "x", toString: "y" }])(
    "%j is stored",
    (metadata) => {
      assert.deepStrictEqual(MetadataHeader.parse(JSON.stringify(metadata)), Result.succeed(metadata))
    }
  )

  it("is read as UTF-8", () => {
    const header = Buffer.from('{"city":"Köln"}').toString("latin1")
    assert.deepStrictEqual(MetadataHeader.parse(header), Result.succeed({ city: "Köln" }))
  })

  it.each([
    ["", "type"],
    ["{", "type"],
    ["null", "type"],
    ['["a"]', "type"],
    ['"a"', "type"],
    ['{"a":"\u00ff"}', "type"],
    ['{"a":null}', "type"],
    ['{"__proto__":"a"}', "key"],
    [JSON.stringify({ ...sixteen, another: "one" }), "maxProperties"],
    [JSON.stringify({ a: "x".repeat(2048) }), "maxLength"]
  ])("%s is rejected as %s", (header, code) => {
    assert.deepStrictEqual(codesOf(MetadataHeader.parse(header)), [code])
  })
})

describe("Idempotency-Key", () => {
  it.each(["a", "order 4711 ~!", "x".repeat(255)])("%s is valid", (key) => {
    assert.deepStrictEqual(IdempotencyHeader.parse(key), Result.succeed(key))
  })

  it.each(["", "x".repeat(256), "é", "tab\t"])("%j is invalid", (key) => {
    assert.deepStrictEqual(codesOf(IdempotencyHeader.parse(key)), ["pattern"])
  })

  const deadlines = { startTimeoutMs: null, cancelAfterMs: null }
  const meant = { path: "a/b", metadata: {}, deadlines, content: "{}" }
  const secret = Buffer.alloc(32)

  it("distinguishes requests by model, content, metadata and deadlines only", () => {
    const hashes = [
      meant,
      { ...meant, path: "a/c" },
      { ...meant, content: '{"a":1}' },
      { ...meant, metadata: { a: "1" } },
      { ...meant, deadlines: { ...deadlines, startTimeoutMs: 5 } },
      { ...meant, deadlines: { ...deadlines, cancelAfterMs: 5 } }
    ].map((one) => IdempotencyHeader.requestHash(secret, one))
    assert.strictEqual(new Set(hashes).size, hashes.length)
  })

  it("takes metadata in another order for the same", () => {
    const hash = (metadata: Record<string, string>) =>
      IdempotencyHeader.requestHash(secret, { ...meant, metadata })
    assert.strictEqual(hash({ a: "1", b: "2" }), hash({ b: "2", a: "1" }))
  })

  it("has a hash that cannot be guessed from a body without the secret", () => {
    const [one, other] = [1, 2].map((byte) => IdempotencyHeader.requestHash(Buffer.alloc(32, byte), meant))
    assert.notStrictEqual(one, other)
  })

  it("still accepts the hashes of earlier releases, for the same bytes only", () => {
    const sent = { path: "a/b", headers: { "cancel-after": "5" }, body: Buffer.from("{}") }
    const head = '["POST","/a/b",null,null,"5"]'
    const formers = [
      crypto.hash("sha256", `${head}{}`, "base64url"),
      `hmac.${crypto.createHmac("sha256", secret).update(`${head}{}`).digest("base64url")}`
    ]
    for (const former of formers) {
      assert.isTrue(IdempotencyHeader.isFormerHash(secret, former, sent))
      assert.isFalse(IdempotencyHeader.isFormerHash(secret, former, { ...sent, body: Buffer.from("{ }") }))
    }
    assert.isFalse(IdempotencyHeader.isFormerHash(secret, IdempotencyHeader.requestHash(secret, meant), sent))
  })
})

describe("entity tags", () => {
  it.each(['"1.a.b"', 'W/"1.a.b"', '"x", "1.a.b"', "*", ' "1.a.b" '])("%s matches", (header) => {
    assert.isTrue(EntityTag.isMatch(header, EntityTag.make(1, "a", "b")))
  })

  it.each(["", '"1.a"', "1.a.b", '"1.a.bb"'])("%s does not match", (header) => {
    assert.isFalse(EntityTag.isMatch(header, EntityTag.make(1, "a", "b")))
  })
})
