/** What holds for every view: accessible, usable with the keyboard, fitting every window, and looking as its author left it. */
import { assert, describe } from "vitest"
import { violations } from "#test/support/console/checks/Axe.ts"
import { walk } from "#test/support/console/checks/Keyboard.ts"
import * as References from "#test/support/console/checks/References.ts"
import { stickingOut } from "#test/support/console/checks/Sideways.ts"
import * as Steady from "#test/support/console/checks/Steady.ts"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"
import { everyView } from "#test/support/console/Views.ts"

const narrow = { width: 360, height: 800 }
const usual = { width: 1280, height: 800 }
const wide = { width: 2560, height: 1440 }

for (const { name, path, who } of everyView) {
  describe(name, () => {
    consoleTest(
      "is accessible in both themes, and looks as before at three widths",
      async ({ open, world }) => {
        const page = await open(who, path(world))
        const found: Array<string | null> = []
        const look = async (size: typeof usual, theme: "light" | "dark") => {
          await page.setViewportSize(size)
          found.push(await References.compare(page, `${name}-${size.width}-${theme}`))
        }
        found.push(...(await violations(page)))
        await Steady.hold(page)
        await look(usual, "light")
        await look(wide, "light")
        await look(narrow, "light")
        await page.emulateMedia({ colorScheme: "dark" })
        await look(usual, "dark")
        found.push(...(await violations(page)))
        assert.deepStrictEqual(
          found.filter((problem) => problem !== null),
          []
        )
      }
    )

    consoleTest("reaches everything by keyboard, and never scrolls sideways", async ({ open, world }) => {
      const page = await open(who, path(world))
      const found = [...(await walk(page))]
      await page.setViewportSize(narrow)
      found.push(...(await stickingOut(page)))
      await page.evaluate(() => document.documentElement.setAttribute("dir", "rtl"))
      found.push(...(await stickingOut(page)))
      await page.setViewportSize(usual)
      found.push(...(await stickingOut(page)))
      assert.deepStrictEqual(found, [])
    })
  })
}
