/**
 * The list of requests: live, filtered by its URL, and for the keyboard.
 * @together test/support/console/Shared.ts
 */
import { assert } from "vitest"
import { caller, submit, until } from "#test/support/console/Calls.ts"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"

consoleTest(
  "requests appear while the top is in sight, and are counted while one reads below",
  async ({ open, world }) => {
    const ada = caller(world.origin, world.keys.ada)
    const page = await open("ada", "/requests", { height: 560 })
    await page.getByText("● Live").waitFor()
    const run = async (order: string) =>
      until(
        ada,
        await submit(ada, "sandbox/echo", { value: order }, { "x-request-metadata": `{"live":"${order}"}` }),
        "COMPLETED"
      )
    const first = await run("first")
    const top = page.getByRole("row").nth(1)
    await top.getByText("live=first").waitFor()
    await top.getByText("Completed").waitFor()

    const grid = page.getByRole("grid", { name: "Requests" })
    await grid.focus()
    await page.keyboard.press("End")
    const last = page.locator("[role=row][aria-selected=true]")
    const read = await last.textContent()
    assert.strictEqual(await last.getAttribute("aria-rowindex"), await grid.getAttribute("aria-rowcount"))
    await run("second")
    await page.getByRole("button", { name: "1 new" }).waitFor()
    assert.strictEqual(await last.textContent(), read)
    await page.getByRole("button", { name: "1 new" }).click()
    await page.getByRole("row").nth(1).getByText("live=second").waitFor()

    await grid.focus()
    await page.keyboard.press("Home")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await page.waitForURL(new RegExp(`/requests/${first}$`))
  }
)

consoleTest(
  "filters are in the URL, which can be shared, and the way back keeps them",
  async ({ open, world }) => {
    const page = await open("ada", "/requests")
    await page.getByRole("button", { name: "Status" }).click()
    await page.getByRole("option", { name: "Failed" }).click()
    await page.waitForURL(/status=FAILED/)
    const rows = page.getByRole("row").filter({ has: page.getByRole("rowheader") })
    await rows.first().getByText("Failed").waitFor()
    await page.getByRole("textbox", { name: "Metadata" }).fill("customer=nobody")
    await page.getByRole("textbox", { name: "Metadata" }).press("Enter")
    await page.getByText("No request matches").waitFor()
    await page.getByRole("button", { name: "Remove the filter customer=nobody" }).click()
    await rows.first().click()
    await page.getByRole("heading", { name: "Timeline" }).waitFor()
    await page.goBack()
    await rows.first().waitFor()
    assert.strictEqual(new URL(page.url()).search, "?status=FAILED")

    const shared = await open("reader", "/requests?modelEndpoint=sandbox/media&metadata.customer=c-42")
    await shared.getByRole("rowheader", { name: "sandbox/media" }).first().waitFor()
    assert.strictEqual(await shared.getByRole("textbox", { name: "Model" }).inputValue(), "sandbox/media")
    await shared.getByRole("textbox", { name: "Request id" }).fill(world.requests.picture)
    await shared.getByRole("textbox", { name: "Request id" }).press("Enter")
    await shared.waitForURL(new RegExp(world.requests.picture))
  }
)
