/**
 * Files in the console: one goes up, is looked at, and is deleted.
 * @together test/support/console/Shared.ts
 */
import { assert } from "vitest"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"

consoleTest("uploads a file, shows it, and deletes it", async ({ open }) => {
  const page = await open("ada", "/files")
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: "poem.txt", mimeType: "text/plain", buffer: Buffer.from("Roses are red.") })
  await page.getByRole("button", { name: "Show poem.txt" }).click()
  const dialog = page.getByRole("dialog", { name: "poem.txt" })
  await dialog.getByText("text/plain").first().waitFor()
  assert.match(page.url(), /file=[\w-]{24}/)
  await dialog.getByRole("button", { name: "Delete" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete file" }).click()
  await page.getByRole("button", { name: "Show poem.txt" }).waitFor({ state: "detached" })
})
