/** Accessibility by axe-core: WCAG 2.2 at levels A and AA, and its best practices. */
import axe from "axe-core"
import type { Page } from "playwright-core"

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

/** Each violation with the elements that have it. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  // Debugging commands pass the page's policy for scripts.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source)
  return page.evaluate(async (values) => {
    const { violations: found } = await window.axe.run(document, {
      runOnly: { type: "tag", values },
      resultTypes: ["violations"]
    })
    return found.flatMap(({ help, id, nodes }) =>
      nodes.map(({ failureSummary, html }) => `${id}: ${help}: ${html.slice(0, 300)} ${failureSummary ?? ""}`)
    )
  }, tags)
}

declare global {
  interface Window {
    readonly axe: typeof axe
  }
}
