import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer, Logger } from "effect"
import { ServerLog } from "#src/platform/telemetry/logs/ServerLog.ts"
import * as Served from "#src/platform/telemetry/logs/ServerLog.ts"
import * as Withheld from "#src/platform/telemetry/logs/Withheld.ts"

const silent: Logger.Logger<unknown, unknown> = Logger.make(() => undefined)
const layer = Layer.fresh(Served.layerWith([silent]))

describe("The server's log in memory", () => {
  it.effect("has level, message, facts and failure of each line, in order", () =>
    Effect.gen(function* () {
      yield* Effect.annotateLogs(Effect.logWarning("A provider fails"), { provider: "gpu", for_ms: 5_000 })
      yield* Effect.logError("It broke", Cause.fail(new Error("disk full")))
      const { after, last } = yield* ServerLog
      const [first, second] = after(0)
      assert.deepInclude(first, { seq: 1, level: "warn", message: "A provider fails", cause: null })
      assert.deepStrictEqual(first?.facts, { provider: "gpu", for_ms: "5000" })
      assert.deepInclude(second, { seq: 2, level: "error", message: "It broke" })
      assert.include(second?.cause ?? "", "disk full")
      assert.deepStrictEqual([last(), after(1).length, after(2).length], [2, 1, 0])
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps the newest lines only, by number and by length", () =>
    Effect.gen(function* () {
      const { after, last } = yield* ServerLog
      for (let index = 0; index < 2_100; index++) yield* Effect.logInfo("short")
      assert.deepStrictEqual([last(), after(0).length, after(0)[0]?.seq], [2_100, 2_000, 101])
      const facts = Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`f${index}`, "x".repeat(9_000)])
      )
      for (let index = 0; index < 300; index++) {
        yield* Effect.annotateLogs(Effect.logInfo("y".repeat(9_000)), facts)
      }
      const lines = after(0)
      const long = lines.at(-1)
      assert.deepStrictEqual([long?.message.length, Object.keys(long?.facts ?? {}).length], [2_000, 30])
      assert.isBelow(lines.length, 200)
    }).pipe(Effect.provide(layer))
  )

  it.effect("has no secrets", () =>
    Effect.gen(function* () {
      const secret = "HTOYhf0kxwYyew6smFf481UCXmWNeZkUiH2B1y0tdIs"
      yield* Effect.annotateLogs(Effect.logInfo(`refused key_d64c:${secret}`), {
        header: `Bearer ${secret}`,
        url: `nats://user:${secret}@nats.internal:4222`,
        query: `?token=${secret}&page=2`,
        password: "hunter2",
        admin_token: "short",
        body: { account: "acme", password: "two words, and more", nested: JSON.stringify({ api_key: "abc" }) }
      })
      const { after } = yield* ServerLog
      const text = JSON.stringify(after(0))
      for (const hidden of [secret, "hunter2", "short", "words", "abc"]) assert.notInclude(text, hidden)
      for (const kept of ["key_d64c:…", "nats://user:…@nats.internal:4222", "&page=2", "acme"])
        assert.include(text, kept)
    }).pipe(Effect.provide(layer))
  )
})

describe("What is withheld", () => {
  it.each([
    ["op_3f25:RT_jksfwulSI_xkeHIsmQuGE", "op_3f25:…"],
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_…"],
    ["Authorization: Key abcdefgh:ijklmnop", "Authorization: Key …"],
    ["eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2lnbmF0dXJl", "…"],
    ['{"password":"hunter2hunter2"}', '{"password":"…"}'],
    ["GET /x?fal_jwt_token=abcdef123456&x=1", "GET /x?fal_jwt_token=…&x=1"],
    ["MASTER_KEY=00112233445566", "MASTER_KEY=…"],
    ["Cookie: __Host-inferlog=abcdefghijkl; a=b", "Cookie: …"],
    ["authorization: bearer abcdefghijklmnop", "authorization: …"],
    ["Incorrect API key provided: sk-proj_0123456789abcdefgh.", "Incorrect API key provided: sk-…."],
    ["https://ghp0123456789abcdef@git.internal/x", "https://…@git.internal/x"],
    ['{"password":"two words, and more"}', '{"password":"…"}'],
    ["X-Amz-Signature=0123456789abcdef&x=1", "X-Amz-Signature=…&x=1"]
  ])("is the secret of %s", (text, expected) => {
    assert.strictEqual(Withheld.from(text), expected)
  })

  it("leaves other texts as they are", () => {
    for (const text of [
      "Listening url=http://127.0.0.1:8150",
      "model acme/flux took 5:30",
      "the token expired",
      "a token: none",
      "tokens=1200000 max_tokens=4096000",
      "mail user@example.com",
      "https://user@example.com/x"
    ]) {
      assert.strictEqual(Withheld.from(text), text)
    }
  })
})
