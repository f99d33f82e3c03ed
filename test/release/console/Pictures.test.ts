/**
 * Every view looks as its author left it, at every width and in both themes.
 * @together test/support/console/Shared.ts
 */
import { assert } from "vitest"
import * as References from "#test/support/console/checks/References.ts"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"
import { everyView, forms, toDark } from "#test/support/console/Views.ts"

for (const { name, path, varying, who } of everyView) {
  consoleTest(
    `${name}: looks as before at every width and in both themes`,
    async ({ open, world }) => {
      const page = await open(who, path(world), { again: true })
      const found: Array<string> = []
      for (const size of [forms.usual, forms.wide, forms.narrow]) {
        await page.setViewportSize(size)
        found.push(...(await References.compare(page, `${name}-${size.width}-light`, varying)))
      }
      await page.setViewportSize(forms.usual)
      await toDark(page)
      found.push(...(await References.compare(page, `${name}-${forms.usual.width}-dark`, varying)))
      assert.deepStrictEqual(found, [])
    },
    { concurrent: true }
  )
}
