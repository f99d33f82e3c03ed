/**
 * Usage in the console: what was charged, as a chart, as a table, and as a file.
 * @together test/support/console/Shared.ts
 */
import { text } from "node:stream/consumers"
import { assert } from "vitest"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"

consoleTest("draws charges, follows the arrow keys, and shows the same as a table", async ({ open }) => {
  const page = await open("ada", "/usage?range=24h")
  const chart = page.getByRole("group", { name: /^Cost by hour and model/ })
  await chart.locator("canvas").waitFor({ state: "attached" })
  await chart.focus()
  await page.keyboard.press("End")
  await page.getByText(/^Total/).waitFor()
  await page.getByRole("button", { name: "Show as table" }).click()
  const table = page.getByRole("table", { name: "Cost by hour and model" })
  await table.getByRole("columnheader", { name: "sandbox/echo" }).waitFor()
  assert.match(await table.innerText(), /\$0\.001/)
})

consoleTest(
  "sums up by key, keeps the choice in the URL, and saves CSV with exact amounts",
  async ({ open }) => {
    const page = await open("ada", "/usage?group=key&measure=requests")
    await page.getByRole("table", { name: "Sums by key" }).getByText("first key").waitFor()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("region", { name: "Charges" }).getByRole("button", { name: "Download CSV" }).click()
    ])
    const [header = "", first = ""] = (await text(await download.createReadStream())).split("\r\n")
    assert.strictEqual(header, "bucket,keyId,modelEndpoint,unit,quantity,requests,cost,currency")
    assert.match(
      first,
      /^\d{4}-\d\d-\d\dT00:00:00\.000Z,key_[^,]+,sandbox\/[\w-]+,\w+,[\d.]+,\d+,[\d.]+,USD$/
    )
  }
)

consoleTest("lists the ledger with the balance after each entry", async ({ open }) => {
  const page = await open("ada", "/usage?type=topup")
  const table = page.getByRole("table", { name: "Billing events" })
  await table.getByText("+$250.00").waitFor()
  assert.strictEqual(await table.getByRole("row").count(), 2)
})
