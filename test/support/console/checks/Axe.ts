/** Accessibility by axe-core: WCAG 2.2 at levels A and AA, and its best practices. */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import type axe from "axe-core"
import type { Page } from "playwright-core"

/** Half as long as `axe.source`, which each page would have to read. */
const source = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const all: axe.RunOnly = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
}
const colours: axe.RunOnly = { type: "rule", values: ["color-contrast", "link-in-text-block"] }

/** Each violation with the elements that have it. Between the themes only contrasts differ, which are checked alone if `onlyColours`. */
export const violations = async (page: Page, onlyColours = false): Promise<ReadonlyArray<string>> => {
  // Debugging commands pass the page's policy for scripts.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source)
  return page.evaluate(
    async (runOnly) => {
      const { violations: found } = await window.axe.run(document, {
        runOnly,
        resultTypes: ["violations"]
      })
      return found.flatMap(({ help, id, nodes }) =>
        nodes.map(
          ({ failureSummary, html }) => `${id}: ${help}: ${html.slice(0, 300)} ${failureSummary ?? ""}`
        )
      )
    },
    onlyColours ? colours : all
  )
}

declare global {
  interface Window {
    readonly axe: typeof axe
  }
}
