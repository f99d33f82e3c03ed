/**
 * What a reader that is far behind is given at a time. A projection makes one commit of it, and folds the requests that
 * live and end within it into one row each: the more the cheaper, as far as memory goes.
 */
import type { RecordedEvent } from "../RecordedEvent.ts"
import { pageSize, type Reads } from "./Reads.ts"

const mostEvents = 8_192

/** Characters of their data, all in all; the last page may exceed it. */
const mostText = 8 * 1_024 * 1_024

export const make =
  ({ page }: Pick<Reads, "page">) =>
  (after: number): ReadonlyArray<RecordedEvent> => {
    const events: Array<RecordedEvent> = []
    let text = 0
    for (let last = after; events.length < mostEvents && text < mostText;) {
      const next = page(last)
      for (const event of next) {
        events.push(event)
        text += event.text.length
      }
      if (next.length < pageSize) return events
      last = Number(next.at(-1)?.position)
    }
    return events
  }
