/** The example for React in a page of the application: its hooks under `StrictMode`, in the build of React that complains. */
import * as path from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { rolldown } from "rolldown"
import * as Browser from "#test/support/Browser.ts"
import * as Server from "#test/support/ServerProcess.ts"
import type { StreamingUpstream } from "#test/support/upstreams/streams/PlannedStream.ts"

/** `main.jsx` with all that it imports. */
export const script = async (): Promise<string> => {
  const bundle = await rolldown({
    input: path.join(Server.root, "examples/react/main.jsx"),
    platform: "browser",
    transform: { define: { "process.env.NODE_ENV": '"development"' } }
  })
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false })
  await bundle.close()
  return output[0].code
}

interface Where {
  readonly origin: string
  readonly serverUrl: string
  readonly worker: StreamingUpstream
}

export const check = Effect.fnUntraced(function* ({ origin, serverUrl, worker }: Where) {
  const page = yield* Browser.openPage({ width: 800, height: 600 })
  page.setDefaultTimeout(30_000)
  const said: Array<string> = []
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) said.push(message.text())
  })
  page.on("pageerror", (error) => said.push(error.message))
  let submits = 0
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url() === `${serverUrl}/acme/writer`) submits++
  })
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click()
  const shows = (id: string, text: RegExp | string) => page.locator(`#${id}`, { hasText: text }).waitFor()

  yield* worker.plan("held")
  yield* Effect.promise(async () => {
    await page.goto(`${origin}/react/`)
    await press("Write")
    // The worker makes the rest only after this.
    await shows("text", /^He$/)
  })
  yield* worker.more
  yield* Effect.promise(async () => {
    await shows("writer", "completed 0.001")
    assert.strictEqual(await page.locator("#text").textContent(), "Hello wörld")
    assert.strictEqual(submits, 1)
  })

  yield* worker.plan("whole")
  yield* Effect.promise(async () => {
    await press("Ask")
    await shows("asker", "completed COMPLETED Hello wörld")
    const file = { name: "cat.png", mimeType: "image/png", buffer: Buffer.from("a cat") }
    await page.getByLabel("Picture").setInputFiles(file)
    await shows("picture", /^http/)
    const url = (await page.locator("#picture").textContent()) ?? ""
    assert.strictEqual(await (await fetch(url)).text(), "a cat")
    assert.strictEqual(await page.locator("progress").getAttribute("value"), "1")
    await page.getByLabel("Picture").setInputFiles({ ...file, mimeType: "text/html" })
    await shows("picture", "Send a picture of at most 20 MiB.")
  })

  // The run reports a failure: the request is completed, and has no output.
  yield* worker.plan("fails")
  yield* Effect.promise(async () => {
    await press("Write")
    await shows("writer", "UpstreamFailureError: No idea.")
  })

  // A component that goes ends its request.
  yield* worker.plan("held")
  yield* Effect.promise(async () => {
    await press("Write")
    await shows("text", /^He$/)
    await press("Hide the writer")
  })
  yield* worker.abandoned
  yield* Effect.promise(async () => {
    await press("Show the writer")
    await shows("writer", "idle")
    await shows("asker", "Hello wörld")
  })
  const expected = /the server responded with a status of 4(?:00|22)/
  assert.deepStrictEqual(
    said.filter((text) => !expected.test(text)),
    []
  )
})
