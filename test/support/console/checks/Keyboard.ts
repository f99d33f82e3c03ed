/** What a person with a keyboard meets: every control once, visibly, and no trap. */
import type { CDPSession, Page } from "playwright-core"

/** More stops than any view has. */
const most = 500

/** Keys that are sent at once. The page takes them in order, and looks at each step itself: a round trip for each takes longer. */
const batch = 25

/** A view that changes while it is walked through is walked through again. */
const tries = 3

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

interface Walk {
  readonly problems: Array<string>
  /** The focus has left the view, or comes back too early. */
  isOver: boolean
  readonly end: () => void
}

/** Puts the focus before the first control. Each Tab key that is released from now on is a step. */
const begin = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const problems: Array<string> = []
    const step = (element: Element) => {
      // A field for a date has a stop for each of its parts.
      if (element.getAttribute("data-walked") === "now") return
      const control = element.outerHTML.slice(0, 160)
      if (element.hasAttribute("data-walked")) {
        walk.isOver = true
        problems.push(`the focus comes back too early, to ${control}`)
      }
      document.querySelector("[data-walked=now]")?.setAttribute("data-walked", "before")
      element.removeAttribute("data-walk")
      element.setAttribute("data-walked", "now")
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
      if (width === 0 || height === 0) problems.push(`has no size: ${control}`)
      else if (!isVisible) problems.push(`shows no focus: ${control}`)
    }
    const released = ({ key }: KeyboardEvent) => {
      if (key !== "Tab" || walk.isOver) return
      const element = document.activeElement
      if (element === null || element === document.body) walk.isOver = true
      else step(element)
    }
    const walk: Walk = {
      problems,
      isOver: false,
      end: () => window.removeEventListener("keyup", released, true)
    }
    window.walk = walk
    window.addEventListener("keyup", released, true)
    document.body.tabIndex = -1
    document.body.focus()
    document.body.removeAttribute("tabindex")
  })

/** Returns what is wrong, and leaves no marks. */
const end = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    window.walk?.end()
    const problems = [...(window.walk?.problems ?? [])]
    for (const element of document.querySelectorAll("[data-walk]")) {
      // What was disabled meanwhile has no stop.
      if (!element.matches(":disabled"))
        problems.push(`the Tab key does not reach ${element.outerHTML.slice(0, 160)}`)
    }
    for (const name of ["data-walk", "data-walked"])
      for (const element of document.querySelectorAll(`[${name}]`)) element.removeAttribute(name)
    return problems
  })

const pressTab = async (session: CDPSession): Promise<void> => {
  const tab = { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 }
  await Promise.all(
    Array.from({ length: batch }, () => [
      session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...tab }),
      session.send("Input.dispatchKeyEvent", { type: "keyUp", ...tab })
    ]).flat()
  )
}

const once = async (page: Page, session: CDPSession): Promise<ReadonlyArray<string>> => {
  const problems = await mark(page)
  await begin(page)
  for (let count = 0; count < most; count += batch) {
    await pressTab(session)
    if (await page.evaluate(() => window.walk?.isOver ?? true)) break
  }
  return [...problems, ...(await end(page))]
}

/** Goes through the whole view with the Tab key. Returns what is wrong each time. */
export const walk = async (page: Page): Promise<ReadonlyArray<string>> => {
  const session = await page.context().newCDPSession(page)
  let problems: ReadonlyArray<string> = []
  for (let count = 0; count < tries; count++) {
    problems = await once(page, session)
    if (problems.length === 0) break
  }
  await session.detach()
  return problems
}

declare global {
  interface Window {
    walk?: Walk
  }
}
