/** @together test/support/console/Shared.ts */
import { assert } from "vitest"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"

consoleTest(
  "an operator finds out why a queue does not move from the overview, and resets the provider",
  async ({ open }) => {
    const page = await open("operator", "/operate/overview")
    const cause = page.getByRole("listitem").filter({ hasText: "acme/voice" })
    await cause.getByText("Paused").waitFor()
    await cause.getByText("1 request waits").waitFor()

    await cause.getByRole("link", { name: "See the provider" }).click()
    await page.getByRole("heading", { level: 1, name: "Providers" }).waitFor()
    assert.match(page.url(), /\/operate\/providers\?q=voice-gpu$/)
    const row = page.getByRole("row").filter({ hasText: "voice-gpu" })
    await row.getByText("Paused").waitFor()
    await row.getByRole("button", { name: "Reset voice-gpu" }).click()
    const dialog = page.getByRole("alertdialog", { name: "Reset voice-gpu?" })
    await dialog.getByRole("button", { name: "Reset provider" }).click()
    await dialog.waitFor({ state: "detached" })
    // Its request is not due before the end of the pause.
    await row.getByText("Well").waitFor()
    await page.getByRole("link", { name: "Server log" }).click()
    await page.getByLabel("Text").fill("provider=voice-gpu")
    await page.getByRole("button", { name: "Filter" }).click()
    const lines = page.getByRole("region", { name: "Lines of the server log" })
    await lines.getByText("An operator has reset a provider: runs may begin there").last().waitFor()
    assert.match(page.url(), /q=provider%3Dvoice-gpu/)
  }
)

consoleTest(
  "an operator follows a request that waits to the provider it waits for",
  async ({ open, world }) => {
    const page = await open("operator", `/operate/requests/${world.requests.waiting}`)
    await page.getByText("Queued").first().waitFor()
    await page.getByRole("link", { name: "acme/portrait" }).click()
    const queue = page.getByRole("row").filter({ hasText: "acme/portrait" })
    await queue.getByText("Unreachable").waitFor()
    assert.strictEqual(await queue.getByRole("link", { name: "4", exact: true }).count(), 1)
    await queue.getByRole("link", { name: "See the provider" }).click()
    const row = page.getByRole("row").filter({ hasText: "studio-gpu" })
    await row.getByText("Unreachable").waitFor()
    await row.getByText(/connect/i).waitFor()
  }
)

consoleTest("shows each role what it may do, and why not the rest", async ({ open, world }) => {
  const page = await open("viewer", "/operate/providers?q=studio-gpu")
  const reset = page.getByRole("button", { name: "Reset studio-gpu" })
  assert.strictEqual(await reset.getAttribute("aria-disabled"), "true")
  await reset.focus()
  await page.getByRole("tooltip", { name: /role operator/ }).waitFor()
  await page.getByRole("link", { name: "Server log" }).click()
  await page.getByText("You cannot read the server log").waitFor()
  await page.goto(`${world.origin}/console/operate/accounts/${world.accountId}`)
  await page.getByText("$").first().waitFor()
  assert.isTrue(await page.getByLabel("Amount in USD").isDisabled())
})

consoleTest("an owner opens an account, tops it up once, and erases it", async ({ open }) => {
  const page = await open("owner", "/operate/accounts")
  await page.getByRole("button", { name: "Open an account" }).click()
  await page.getByLabel("Name", { exact: true }).fill("Harbour office")
  await page.getByRole("button", { name: "Open account" }).click()
  await page.getByText("The key is shown this once").waitFor()
  await page.getByRole("button", { name: "I have copied the key" }).click()
  await page.getByRole("link", { name: "Harbour office" }).click()

  for (const said of ["$12.50 were paid in", "counts once"]) {
    await page.getByLabel("Amount in USD").fill("12.5")
    await page.getByLabel("Payment id").fill("invoice-7")
    await page.getByRole("button", { name: "Top up" }).click()
    await page.getByText(said).waitFor()
  }
  await page.getByText("$12.50", { exact: true }).first().waitFor()

  await page.getByLabel("Open requests").fill("3")
  await page.getByRole("button", { name: "Save limits" }).click()
  await page.getByText("Saved, and in force.").waitFor()

  const id = page.url().split("/").at(-1) ?? ""
  await page.getByRole("button", { name: "Erase account" }).click()
  const dialog = page.getByRole("alertdialog", { name: "Erase this account?" })
  assert.isTrue(await dialog.getByRole("button", { name: "Erase for good" }).isDisabled())
  await dialog.getByLabel(`Type ${id} to go on`).fill(id)
  await dialog.getByRole("button", { name: "Erase for good" }).click()
  await page.getByText("The account is erased").waitFor()
})
