import { assert } from "vitest"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"

/** What the browser logs of calls that cannot be made. */
const expects = /ERR_INTERNET_DISCONNECTED|Failed to (load|fetch)|dynamically imported/

consoleTest(
  "the console says that it is offline, shows what it has, and goes on by itself",
  async ({ open }) => {
    const page = await open("ada", "/requests", { expects })
    const notice = page.getByText("You are offline")
    const rows = page.getByRole("main").getByRole("link")
    const before = await rows.count()
    await page.context().setOffline(true)
    await notice.waitFor()
    assert.isAbove(before, 0)
    assert.strictEqual(await rows.count(), before)
    await page.context().setOffline(false)
    await notice.waitFor({ state: "detached" })
  }
)

consoleTest("a view that is opened while offline waits until the connection is back", async ({ open }) => {
  const page = await open("ada", "/requests", { expects })
  await page.context().setOffline(true)
  await page.getByText("You are offline").waitFor()
  await page.getByRole("link", { name: "Webhooks" }).click()
  await page.waitForURL("**/webhooks")
  await page.getByText("You are offline").waitFor()
  await page.context().setOffline(false)
  await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor()
})
