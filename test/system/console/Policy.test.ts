/**
 * What the page's policy for contents leaves in a browser.
 * @together test/support/console/Shared.ts
 */
import { assert } from "vitest"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"

consoleTest(
  "runs only scripts of the console, not those that this server sends otherwise",
  async ({ open }) => {
    const page = await open(null, "/sign-in", {
      expects: /Content Security Policy|\/docs\/scalar\.js failed/
    })
    const own = await page.locator("script[src]").getAttribute("src")
    const run = (path: string) =>
      page.evaluate(`import(${JSON.stringify(path)}).then(() => "runs", () => "is refused")`)
    assert.strictEqual(await run(own ?? ""), "runs")
    assert.strictEqual(await run("/docs/scalar.js"), "is refused")
  }
)
