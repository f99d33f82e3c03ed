/** Whether a view scrolls sideways, which makes a reader scroll twice for each line. */
import type { Page } from "playwright-core"

/** Elements that stick out of the window, innermost first; none where it does not scroll. Parts that scroll by themselves may be wider. */
export const stickingOut = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const root = document.documentElement
    if (root.scrollWidth <= root.clientWidth) return []
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      element !== document.body &&
      element !== root &&
      (getComputedStyle(element).overflowX !== "visible" || scrolls(element.parentElement))
    const found: Array<string> = []
    for (const element of document.body.querySelectorAll("*")) {
      const { left, right, width } = element.getBoundingClientRect()
      if (width === 0 || (left >= -1 && right <= root.clientWidth + 1) || scrolls(element.parentElement))
        continue
      found.unshift(`${element.outerHTML.slice(0, 120)} from ${Math.round(left)} to ${Math.round(right)}`)
    }
    return [`the page is ${root.scrollWidth} wide in ${root.clientWidth}`, ...found.slice(0, 5)]
  })
