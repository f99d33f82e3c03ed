import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"

const urls = (settings: Readonly<Record<string, string>>) =>
  Effect.map(PublicUrls, (urls) => ({ ...urls })).pipe(
    Effect.provide(PublicUrls.layer),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
  )

describe("PublicUrls", () => {
  it.effect("are the listener's own address when not set", () =>
    Effect.gen(function* () {
      const own = "http://127.0.0.1:9000"
      const all = { queueUrl: own, baseUrl: own, mediaUrl: own, mcpUrl: own }
      assert.deepStrictEqual(yield* urls({ PORT: "9000" }), all)
      assert.deepStrictEqual(yield* urls({ HOST: "0.0.0.0", PORT: "9000" }), all)
      assert.strictEqual((yield* urls({ HOST: "::1", PORT: "9000" })).mcpUrl, "http://[::1]:9000")
      assert.strictEqual((yield* urls({ HOST: "Box.local", PORT: "80" })).mcpUrl, "http://box.local")
    })
  )

  it.effect("are the given values when set", () =>
    Effect.gen(function* () {
      const set = {
        QUEUE_URL: "https://queue.example.com",
        BASE_URL: "https://example.com/api",
        MEDIA_URL: "http://localhost:8081",
        MCP_URL: "https://mcp.example.com:8443"
      }
      assert.deepStrictEqual(yield* urls(set), {
        queueUrl: set.QUEUE_URL,
        baseUrl: set.BASE_URL,
        mediaUrl: set.MEDIA_URL,
        mcpUrl: set.MCP_URL
      })
    })
  )

  it.effect.each([
    "https://media.example.com/",
    "https://media.example.com/files/",
    "https://media.example.com?a=b",
    "https://media.example.com#a",
    "https://user:hunter2@media.example.com",
    "https://Media.example.com",
    "https://media.example.com:443",
    "ftp://media.example.com",
    "media.example.com"
  ])("reject %s", (url) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(urls({ MEDIA_URL: url }))
      assert.match(failure.message, /without trailing slash/)
      assert.notInclude(failure.message, "hunter2")
    })
  )

  it.effect.each(["https://example.com/assistants", "https://mcp.example.com/", "http://127.0.0.1:8080/mcp"])(
    "reject %s for the tool server, which clients find only at the root of a host",
    (url) =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(urls({ MCP_URL: url }))
        assert.match(failure.message, /MCP_URL/)
      })
  )
})
