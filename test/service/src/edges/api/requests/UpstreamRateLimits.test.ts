import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call } from "#test/support/src/edges/http/Calls.ts"

const gpu: ProviderBinding = { name: "gpu", adapter: "http" }
const cloud: ProviderBinding = { name: "cloud", adapter: "fal" }

/** No provider pauses it. */
const spare: ProviderBinding = { name: "spare", adapter: "http" }

const modelAt = (endpoint: string, providers: readonly [ProviderBinding, ProviderBinding]) => {
  const made = testModel(endpoint, { maxQueued: 3 })
  return { ...made, model: { ...made.model, providers } }
}

const models = [modelAt("test/refused", [gpu, cloud]), modelAt("test/spared", [gpu, spare])]

const options = { catalog: BuiltinCatalog.layerOf(models), queued: () => 3 }

const submitTo = (endpoint: string) =>
  call({
    method: "POST",
    path: `/${endpoint}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ value: "in" })
  })

const pause = (binding: ProviderBinding, seconds: number) =>
  Effect.map(ProviderHealth, (health) =>
    health.begin(binding).ended({ _tag: "RateLimited", retryAfterMs: seconds * 1_000 })
  )

layer(TestServer.layer(options), { excludeTestServices: true })("a submit to a full queue", (it) => {
  describe("while one of the model's providers accepts runs", () => {
    it.effect("is rejected by the server's own limit", () =>
      Effect.gen(function* () {
        yield* pause(gpu, 3_000)
        const reply = yield* submitTo("test/spared")
        assertEnvelope(reply, 429)
        assert.strictEqual(reply.headers["retry-after"], "5")
        assert.deepNestedInclude(reply.json, { "details.code": "RATE_LIMITED", "details.scope": "model" })
      })
    )
  })

  describe("while all of them reject", () => {
    it.effect("returns the shortest wait of the providers", () =>
      Effect.gen(function* () {
        yield* pause(gpu, 3_000)
        yield* pause(cloud, 1_000)
        const reply = yield* submitTo("test/refused")
        assertEnvelope(reply, 429)
        assert.strictEqual(reply.headers["retry-after"], "1000")
        assert.include(reply.headers["ratelimit"], "t=1000")
        assert.deepNestedInclude(reply.json, {
          "details.code": "UPSTREAM_RATE_LIMITED",
          "details.scope": "model",
          "details.limit": 3,
          "details.retryAfter": 1_000
        })
      })
    )
  })
})

layer(TestServer.layer({ ...options, queued: () => 2 }), { excludeTestServices: true })(
  "a submit to a queue that has room",
  (it) => {
    it.effect("is accepted, even if all of the model's providers reject", () =>
      Effect.gen(function* () {
        yield* pause(gpu, 3_000)
        yield* pause(cloud, 1_000)
        assert.strictEqual((yield* submitTo("test/refused")).status, 200)
      })
    )
  }
)
