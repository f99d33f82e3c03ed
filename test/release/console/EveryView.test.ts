/**
 * What holds for every view: accessible, usable with the keyboard, fitting every window, and looking as its author left it.
 * @together test/support/console/Shared.ts
 */
import { assert } from "vitest"
import type { Page } from "playwright-core"
import { violations } from "#test/support/console/checks/Axe.ts"
import { walk } from "#test/support/console/checks/Keyboard.ts"
import * as References from "#test/support/console/checks/References.ts"
import { stickingOut } from "#test/support/console/checks/Sideways.ts"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"
import { everyView } from "#test/support/console/Views.ts"

const narrow = { width: 360, height: 800 }
const usual = { width: 1280, height: 800 }
const wide = { width: 2560, height: 1440 }

const toDark = async (page: Page): Promise<void> => {
  await page.emulateMedia({ colorScheme: "dark" })
  // Colours change in transitions, even if in short ones.
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))
  })
}

// One page for all checks of a view, because most of the time goes into opening it. Some views at once, because each waits now and then.
for (const { name, path, varying, who } of everyView) {
  consoleTest(
    `${name}: accessible in both themes, by keyboard, at every width, and as before`,
    async ({ open, world }) => {
      const page = await open(who, path(world), { again: true })
      const found: Array<string> = []
      const look = async (size: typeof usual, theme: "light" | "dark") => {
        await page.setViewportSize(size)
        found.push(...(await References.compare(page, `${name}-${size.width}-${theme}`, varying)))
        found.push(...(await stickingOut(page)))
      }
      found.push(...(await violations(page)))
      await look(usual, "light")
      await look(wide, "light")
      await look(narrow, "light")
      await page.evaluate(() => document.documentElement.setAttribute("dir", "rtl"))
      found.push(...(await stickingOut(page)))
      await page.evaluate(() => document.documentElement.removeAttribute("dir"))
      await page.setViewportSize(usual)
      await toDark(page)
      found.push(...(await violations(page, true)))
      await look(usual, "dark")
      found.push(...(await walk(page)))
      assert.deepStrictEqual(found, [])
    },
    { concurrent: true }
  )
}
