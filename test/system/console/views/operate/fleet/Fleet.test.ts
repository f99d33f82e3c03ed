/** @together test/support/console/Shared.ts */
import type { Locator } from "playwright-core"
import { assert } from "vitest"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"

/** The status of the answer to a worker that asks for a job: 204 for none. */
const claimed = async (origin: string, key: string): Promise<number> => {
  const { status } = await fetch(`${origin}/workers/claim`, {
    method: "POST",
    headers: { authorization: `Key ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ models: ["acme/upscale"], wait: 0 })
  })
  return status
}

/** Reads the key of the dialog that shows it once, and closes it. */
const copied = async (dialog: Locator): Promise<string> => {
  const key = await dialog.getByText(/^worker_\w+:/).innerText()
  await dialog.getByRole("button", { name: "I have copied the key" }).click()
  await dialog.waitFor({ state: "detached" })
  return key
}

consoleTest("an operator creates, rotates and revokes the key of a worker", async ({ open, world }) => {
  const page = await open("operator", "/operate/workers", { expects: /status of 400/ })
  await page.getByRole("button", { name: "Create a key" }).click()
  const form = page.getByRole("dialog", { name: "Create a key" })
  await page.keyboard.type("Night shift")
  await form.getByLabel("Models").fill("upscale")
  await page.keyboard.press("Enter")
  await form.getByRole("alert").getByText("of the form owner/name").waitFor()
  await form.getByLabel("Models").fill("acme/upscale, acme/voice")
  await page.keyboard.press("Enter")
  const shown = page.getByRole("alertdialog", { name: "The key" })
  const first = await copied(shown)
  assert.strictEqual(await claimed(world.origin, first), 204)

  const row = page.getByRole("region", { name: "Keys of workers" }).getByRole("row", { name: "Night shift" })
  await row.getByText("acme/upscale, acme/voice").waitFor()
  await row.getByRole("button", { name: "Rotate Night shift" }).click()
  await page.getByRole("button", { name: "Rotate key" }).click()
  const second = await copied(shown)
  assert.notStrictEqual(second, first)
  // Both are valid for an hour.
  assert.deepStrictEqual(
    [await claimed(world.origin, first), await claimed(world.origin, second)],
    [204, 204]
  )

  await row.getByRole("button", { name: "Revoke Night shift" }).click()
  await page.getByRole("button", { name: "Revoke key" }).click()
  await row.getByText("Revoked").waitFor()
  assert.strictEqual(await row.getByRole("button").count(), 0)
  assert.deepStrictEqual(
    [await claimed(world.origin, first), await claimed(world.origin, second)],
    [401, 401]
  )
})

consoleTest("an operator follows a rebuild of a read model to its end", async ({ open }) => {
  const page = await open("operator", "/operate/projections")
  await page.getByRole("button", { name: "Rebuild history" }).click()
  const dialog = page.getByRole("alertdialog", { name: "Rebuild history" })
  await dialog.getByRole("button", { name: "Rebuild" }).click()
  await dialog.getByRole("progressbar", { name: /^Building for/ }).waitFor()
  await dialog.getByText("Rebuilt and in use").waitFor()
  await dialog.getByRole("button", { name: "Close" }).click()
  // Each rebuild writes a file of its own.
  await page.getByText(/projections\.\d+\.sqlite$/).waitFor()
})
