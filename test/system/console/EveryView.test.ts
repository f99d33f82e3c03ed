/**
 * What holds for every view: accessible, usable with the keyboard, fitting every window, and looking as its author left it.
 * `test/release/console/Pictures.test.ts` has its pictures at other widths and in the dark theme.
 * @together test/support/console/Shared.ts
 * @first The others change what its pictures show.
 * @cost 34 views in a browser, each looked at in both themes and at every width.
 */
import { assert } from "vitest"
import { violations } from "#test/support/console/checks/Axe.ts"
import { walk } from "#test/support/console/checks/Keyboard.ts"
import * as References from "#test/support/console/checks/References.ts"
import { stickingOut } from "#test/support/console/checks/Sideways.ts"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"
import { everyView, forms, toDark } from "#test/support/console/Views.ts"

// One page for all checks of a view, because most of the time goes into opening it. Some views at once, because each waits now and then.
for (const { name, path, varying, who } of everyView) {
  consoleTest(
    `${name}: accessible in both themes, by keyboard, at every width, and as before`,
    async ({ open, world }) => {
      const page = await open(who, path(world), { again: true })
      const found: Array<string> = []
      found.push(...(await violations(page)))
      found.push(...(await References.compare(page, `${name}-1280-light`, varying)))
      for (const size of [forms.usual, forms.wide, forms.narrow]) {
        await page.setViewportSize(size)
        found.push(...(await stickingOut(page)))
      }
      await page.evaluate(() => document.documentElement.setAttribute("dir", "rtl"))
      found.push(...(await stickingOut(page)))
      await page.evaluate(() => document.documentElement.removeAttribute("dir"))
      await page.setViewportSize(forms.usual)
      await toDark(page)
      found.push(...(await violations(page, true)))
      found.push(...(await walk(page)))
      assert.deepStrictEqual(found, [])
    },
    { concurrent: true }
  )
}
