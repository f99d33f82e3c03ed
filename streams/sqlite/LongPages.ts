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
  ({ head, ofTypes, page }: Pick<Reads, "head" | "ofTypes" | "page">) =>
  (after: number, types?: ReadonlyArray<string>): ReadonlyArray<RecordedEvent> => {
    const events: Array<RecordedEvent> = []
    let text = 0
    const end = head()
    for (let last = after; last < end && events.length < maxEvents && text < maxText;) {
      const next = types === undefined ? page(last) : ofTypes(types, last, Math.min(last + pageSize, end))
      for (const event of next) {
        events.push(event)
        text += event.text.length
      }
      last = Number(next.at(-1)?.position ?? end)
    }
    return events
  }
