/**
 * A picture that is made before one's eyes, by a worker that reports each state of it.
 * @together test/support/console/Shared.ts
 */
import { Schema } from "effect"
import { assert } from "vitest"
import { Model } from "#domain/catalog/Model.ts"
import { model } from "#test/support/CatalogDefinitions.ts"
import { type Call, caller, decode } from "#test/support/console/Calls.ts"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"
import type { World } from "#test/support/console/World.ts"

const endpoint = "acme/sketch"

const sketch = Schema.encodeSync(Model)(
  model(endpoint, {
    providers: [{ name: "sketchers", adapter: "pull" }],
    outputSchema: { type: "object", properties: { image: { type: "string", format: "uri" } } },
    output: { stream: "last" }
  })
)

/** One pixel of two colours. */
const pixels = [
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
].map((bytes) => `data:image/png;base64,${bytes}`)

const Issued = decode(Schema.Struct({ key: Schema.String }))
const Claimed = decode(Schema.Struct({ job: Schema.Struct({ leaseId: Schema.String }) }))

/** Publishes the model, and returns a worker of it. */
const worker = async ({ keys, origin }: World): Promise<Call> => {
  const operator = caller(origin, keys.operator)
  const none = { wrappers: [], collections: [], gpus: [], templates: [] }
  await operator("POST", "/admin/v1/catalog", { ...none, models: [sketch] })
  const asked = { name: "easel", modelEndpoints: [endpoint], expiresAt: null }
  return caller(origin, Issued(await operator("POST", "/admin/v1/worker-keys", asked)).key)
}

consoleTest(
  "the playground shows a picture in each state that is reported of it",
  async ({ open, world }) => {
    const work = await worker(world)
    const claimed = work("POST", "/workers/claim", { models: [endpoint], wait: 20 })
    const page = await open("ada", `/models/${endpoint}`)
    await page.getByRole("button", { name: /^Run/ }).click()
    const job = `/workers/jobs/${Claimed(await claimed).job.leaseId}`
    const result = page.getByRole("region", { name: "Result" })
    for (const [from, image] of pixels.entries()) {
      await work("POST", `${job}/chunks`, { from, chunks: [{ image }] })
      await result.locator(`img[src="${image}"]`).waitFor()
    }
    await result.getByText("Running").waitFor()
    await work("POST", `${job}/result`, { output: { image: pixels[1] } })
    await result.getByText("Completed").waitFor()
    assert.strictEqual(await result.getByRole("img").count(), 1)
  }
)
