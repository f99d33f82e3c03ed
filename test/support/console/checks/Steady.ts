/** Makes a view look the same in every run: ids, times and the like become fixed texts, and what moves stands still. */
import type { Page } from "playwright-core"

/** Of texts that differ from run to run, and what is shown instead, of about the same width. In order. */
const texts: ReadonlyArray<readonly [pattern: string, shown: string]> = [
  ["\\brq[\\w-]{16,}", "rqP6vxXSi--NSpLKABux-"],
  ["\\b(acc|key|worker|op|oi|node|msg|call|evt)_[\\w-]{6,}", "$1_0123456789abcdef"],
  ["\\b[0-9a-f]{12,64}\\b", "0123456789abcdef"],
  ["\\b(acc|key|worker|op|oi|node|msg|call|evt)_\\w{4}…\\w{4}", "$1_0123…cdef"],
  ["\\b\\d+:[\\w-]{43}(?![\\w-])", "248:0123456789abcdef0123456789abcdef0123456789a"],
  ["\\S*/inferlog-test-\\w+", "/tmp/inferlog-test-012345"],
  ["127\\.0\\.0\\.1:\\d+", "127.0.0.1:8080"],
  ["\\b\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z?", "2026-01-05T12:00:00.000Z"],
  ["\\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)((s|nes|rs|ur)?day)?\\b", "Mon"],
  ["\\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \\d{1,2}\\b(, \\d{4})?", "Jan 5$2"],
  ["(?<![.\\d])\\d{1,2}:\\d\\d:\\d\\d(\\.\\d+)?(\\s?[AP]M)?", "12:00:00"],
  ["(?<![.\\d:])\\d{1,2}:\\d\\d(?![\\d:])(\\s?[AP]M)?", "12:00"],
  ["\\b(in )?(\\d+|an?) (second|minute|hour|day|sec\\.|min\\.|hr\\.)s?( ago)?", "5 minutes"],
  ["^(now|yesterday|tomorrow)$", "5 minutes"],
  ["console-[0-9a-f-]{8,}", "console-0123456789ab"],
  ["\\b\\d+(\\.\\d+)?\\s?(ms|s|min|h|d)\\b", "1.2 s"],
  ["\\bunder 1\\.2 s", "about 1.2 s"]
]

/** For views whose figures differ from run to run: each number of `main` that is no part of an id, a date or a time. */
const figures: ReadonlyArray<readonly [pattern: string, shown: string]> = [
  ["\\b\\d+(\\.\\d+)? ([KMG]i)?B\\b", "12 MiB"],
  ["(?<![\\w:.,-]|Jan |Jan 5, )\\d[\\d,]*(\\.\\d+)?(?![\\w:-]|\\.\\d)", "12"]
]

/** What else of a view differs from run to run. */
export interface Varying {
  /** All numbers become the same. */
  readonly figures?: boolean
  /** Lists without an order of their own: their elements get that of their texts. */
  readonly unsorted?: string
  /** Elements that leave an empty place. */
  readonly hidden?: string
  /** Elements that leave no place. */
  readonly removed?: string
}

/** Holds what is shown now. Returns whether something had changed. */
export const hold = (page: Page, varying: Varying = {}): Promise<boolean> =>
  page.evaluate(
    ({ everywhere, hidden, inMain, removed, unsorted }) => {
      const compiled = (rules: typeof everywhere) =>
        rules.map(([pattern, shown]) => [new RegExp(pattern, "g"), shown] as const)
      const [patterns, more] = [compiled(everywhere), compiled(inMain)]
      const held = (text: string, isInMain: boolean) =>
        [...patterns, ...(isInMain ? more : [])].reduce(
          (now, [pattern, shown]) => now.replace(pattern, shown),
          text
        )
      let hasChanged = false
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const before = node.nodeValue ?? ""
        const after = held(before, node.parentElement?.closest("main") !== null)
        if (after === before) continue
        node.nodeValue = after
        hasChanged = true
      }
      for (const field of document.querySelectorAll<HTMLInputElement>("main input[type=text]")) {
        const after = held(field.value, false)
        if (after === field.value) continue
        field.value = after
        hasChanged = true
      }
      const leaveOut = (selector: string, property: string, value: string) => {
        for (const element of document.querySelectorAll(selector)) {
          const isStyled = element instanceof HTMLElement || element instanceof SVGElement
          if (!isStyled || element.hasAttribute("data-left-out")) continue
          element.style.setProperty(property, value)
          element.setAttribute("data-left-out", property)
          hasChanged = true
        }
      }
      if (removed !== "") leaveOut(removed, "display", "none")
      // Drawn from measurements.
      leaveOut("main canvas, main [data-measured]", "visibility", "hidden")
      if (hidden !== "") leaveOut(hidden, "visibility", "hidden")
      for (const list of unsorted === "" ? [] : document.querySelectorAll(unsorted)) {
        const items = [...list.children]
        const textOf = (item: Element) => item.textContent ?? ""
        const sorted = items.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
        if (sorted.some((item, index) => textOf(item) !== textOf(items[index] ?? item)))
          list.append(...sorted)
      }
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      return hasChanged
    },
    {
      everywhere: texts,
      inMain: varying.figures ? figures : [],
      hidden: varying.hidden ?? "",
      removed: varying.removed ?? "",
      unsorted: varying.unsorted ?? ""
    }
  )

/** Shows again what has been left out, for the other checks. */
export const release = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const element of document.querySelectorAll("[data-left-out]")) {
      if (element instanceof HTMLElement || element instanceof SVGElement)
        element.style.removeProperty(element.getAttribute("data-left-out") ?? "")
      element.removeAttribute("data-left-out")
    }
  })
