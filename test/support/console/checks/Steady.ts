/** Makes a view look the same in every run: ids, times and the like become fixed texts, and what moves stands still. */
import type { Page } from "playwright-core"

/** Of texts that differ from run to run, and what is shown instead, of about the same width. In order. */
const texts: ReadonlyArray<readonly [pattern: string, shown: string]> = [
  ["\\brq[\\w-]{16,}", "rqP6vxXSi--NSpLKABux-"],
  ["\\b(acc|key|worker|op|oi|node|msg|call|evt)_[\\w-]{6,}", "$1_0123456789abcdef"],
  ["\\b[0-9a-f]{12,64}\\b", "0123456789abcdef"],
  ["127\\.0\\.0\\.1:\\d+", "127.0.0.1:8080"],
  ["\\b\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z?", "2026-01-05T12:00:00.000Z"],
  ["\\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)((s|nes|rs|ur)?day)?\\b", "Mon"],
  ["\\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \\d{1,2}\\b(, \\d{4})?", "Jan 5$2"],
  ["(?<![.\\d])\\d{1,2}:\\d\\d:\\d\\d(\\.\\d+)?(\\s?[AP]M)?", "12:00:00"],
  ["(?<![.\\d:])\\d{1,2}:\\d\\d(?![\\d:])(\\s?[AP]M)?", "12:00"],
  ["\\b(in )?(\\d+|an?) (second|minute|hour|day|sec\\.|min\\.|hr\\.)s?( ago)?", "5 minutes$4"],
  ["console-[0-9a-f-]{8,}", "console-0123456789ab"],
  ["\\b\\d+(\\.\\d+)?\\s?(ms|s|min|h|d)\\b", "1.2 s"]
]

/** Of views whose figures differ from run to run, each number of `main`. */
const figures: ReadonlyArray<readonly [pattern: string, shown: string]> = [["\\d[\\d,]*(\\.\\d+)?", "12"]]

export interface Holding {
  /** All numbers become the same. */
  readonly figures?: boolean
}

/** Holds what is shown now. Returns whether something had changed. */
export const hold = (page: Page, holding: Holding = {}): Promise<boolean> =>
  page.evaluate(
    ([everywhere, inMain]) => {
      const compiled = (rules: typeof everywhere) =>
        rules.map(([pattern, shown]) => [new RegExp(pattern, "g"), shown] as const)
      const [patterns, more] = [compiled(everywhere), compiled(inMain)]
      let hasChanged = false
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const before = node.nodeValue ?? ""
        const isInMain = more.length > 0 && node.parentElement?.closest("main") !== null
        const after = [...patterns, ...(isInMain ? more : [])].reduce(
          (text, [pattern, shown]) => text.replace(pattern, shown),
          before
        )
        if (after === before) continue
        node.nodeValue = after
        hasChanged = true
      }
      // Drawn from measurements.
      for (const drawn of document.querySelectorAll("main canvas, main [data-measured]")) {
        if (drawn instanceof HTMLElement || drawn instanceof SVGElement) drawn.style.visibility = "hidden"
      }
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      return hasChanged
    },
    [texts, holding.figures ? figures : []] as const
  )
