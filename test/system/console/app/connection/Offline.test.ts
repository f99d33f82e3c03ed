/** @together test/support/console/Shared.ts */
import { assert } from "vitest"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"

/** What the browser logs of calls that cannot be made. */
const expects = /ERR_INTERNET_DISCONNECTED|Failed to (load|fetch)|dynamically imported/

consoleTest(
  "the console says that it is offline, shows what it has, goes on by itself, and says if it is another release then",
  async ({ open, world }) => {
    const page = await open("ada", "/requests", { expects })
    const notice = page.getByText("You are offline")
    const rows = page.getByRole("main").getByRole("link")
    const before = await rows.count()
    await page.context().setOffline(true)
    await notice.waitFor()
    assert.isAbove(before, 0)
    assert.strictEqual(await rows.count(), before)
    const served = `${world.origin}/console/`
    const looked = page.waitForResponse(served)
    await page.context().setOffline(false)
    await notice.waitFor({ state: "detached" })
    await (await looked).finished()
    const other = page.getByText("A new release of the console is served")
    assert.strictEqual(await other.count(), 0)

    await page.route(served, async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace(/assets\/index-[\w-]+\.js/, "assets/index-another.js")
      await route.fulfill({ response, body })
    })
    await page.context().setOffline(true)
    await notice.waitFor()
    await page.context().setOffline(false)
    await other.waitFor()
    await page.getByRole("button", { name: "Reload" }).click()
    await other.waitFor({ state: "detached" })
    await rows.first().waitFor()
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
