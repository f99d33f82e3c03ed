/**
 * Long pages for a reader that is far behind. A projection makes one commit of a page and writes one row for each request
 * that lives and ends within it, so longer pages are cheaper as far as memory allows.
 */
import type { RecordedEvent } from "../RecordedEvent.ts"
import { pageSize, type Reads } from "./Reads.ts"

const maxEvents = 8_192

/** Total characters of the events' data. The last page may exceed it. */
const maxText = 8 * 1_024 * 1_024

export const make =
  ({ page }: Pick<Reads, "page">) =>
  (after: number): ReadonlyArray<RecordedEvent> => {
    const events: Array<RecordedEvent> = []
    let text = 0
    for (let last = after; events.length < maxEvents && text < maxText;) {
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
