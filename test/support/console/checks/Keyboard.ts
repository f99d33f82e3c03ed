/** What a person with a keyboard meets: every control once, visibly, and no trap. */
import type { Page } from "playwright-core"

/** More controls than any view has. */
const most = 400

/** Marks what can be used, and finds what only a mouse can use. */
const mark = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const isShown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      element.closest("[inert], [aria-hidden='true']") === null
    const controls = "a[href], button, input, select, textarea, summary, [tabindex]"
    const isReachable = (element: Element) =>
      element instanceof HTMLElement && element.tabIndex >= 0 && !element.matches(":disabled, [type=hidden]")
    // Of radio buttons and the like, arrow keys reach the others.
    for (const element of document.querySelectorAll(controls)) {
      if (isShown(element) && isReachable(element) && !element.matches("[type=radio]"))
        element.setAttribute("data-walk", "")
    }
    const found: Array<string> = []
    for (const element of document.querySelectorAll("body *")) {
      const isClickable = getComputedStyle(element).cursor === "pointer" && isShown(element)
      if (isClickable && element.closest(`${controls}, label, [role=option], [role=row]`) === null)
        found.push(`only a mouse can use ${element.outerHTML.slice(0, 160)}`)
    }
    return found
  })

interface Step {
  /** `null`: outside of the page. */
  readonly control: string | null
  readonly problem: string | null
  readonly isNew: boolean
  /** Still the control of the step before. */
  readonly isSame: boolean
}

const step = (page: Page): Promise<Step> =>
  page.evaluate(() => {
    const element = document.activeElement
    if (element === null || element === document.body) {
      return { control: null, problem: null, isNew: false, isSame: false }
    }
    const isNew = !element.hasAttribute("data-walked")
    const isSame = element.getAttribute("data-walked") === "now"
    document.querySelector("[data-walked=now]")?.setAttribute("data-walked", "before")
    element.removeAttribute("data-walk")
    element.setAttribute("data-walked", "now")
    const control = element.outerHTML.slice(0, 160)
    const { height, width } = element.getBoundingClientRect()
    // A hidden input may show its focus on what surrounds it.
    const around = [element, element.parentElement, element.parentElement?.parentElement ?? null]
    const marks = around.flatMap((one) =>
      one === null ? [] : [getComputedStyle(one), getComputedStyle(one, "::after")]
    )
    const isVisible = marks.some(
      ({ boxShadow, outlineStyle, outlineWidth }) =>
        (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || boxShadow !== "none"
    )
    const isEmpty = width === 0 || height === 0
    const problem = isEmpty ? `has no size: ${control}` : isVisible ? null : `shows no focus: ${control}`
    return { control, problem, isNew, isSame }
  })

/** Goes through the whole view with the Tab key. Returns what is wrong. */
export const walk = async (page: Page): Promise<ReadonlyArray<string>> => {
  const problems = [...(await mark(page))]
  // Begins at the top, not where the focus was.
  await page.evaluate(() => {
    document.body.tabIndex = -1
    document.body.focus()
    document.body.removeAttribute("tabindex")
  })
  for (let count = 0; count < most; count++) {
    await page.keyboard.press("Tab")
    const { control, isNew, isSame, problem } = await step(page)
    if (control === null) break
    // A field for a date has a stop for each of its parts.
    if (isSame) continue
    if (problem !== null) problems.push(problem)
    if (!isNew) {
      problems.push(`the focus comes back too early, to ${control}`)
      break
    }
  }
  const missed = await page.evaluate(() =>
    [...document.querySelectorAll("[data-walk]")].map((element) => element.outerHTML.slice(0, 160))
  )
  return [...problems, ...missed.map((control) => `the Tab key does not reach ${control}`)]
}
