/** Pages of the log from its end backwards, and its new events. */
import { queryText } from "#console/api/Client.ts"
import { lineTexts } from "#console/api/Lines.ts"
import { isAfter, type LogEvent, ofLine } from "../chain/LogEvent.ts"
import type { Choice } from "./JournalSearch.ts"

/** Events of a page. */
export const pageSize = 200

const path = (query: Readonly<Record<string, unknown>>) => `/api/admin/v1/log/events${queryText(query)}`

/** The newest events of the choice before `before`, or its newest ones; newest first. */
export const read = async (
  { after, stream, type, until }: Choice,
  before: string | null,
  signal: AbortSignal
): Promise<ReadonlyArray<LogEvent>> => {
  // `until` includes its event, so one more is asked for.
  const query = { type, stream, until: before ?? until, last: before === null ? pageSize : pageSize + 1 }
  const events: Array<LogEvent> = []
  for await (const line of lineTexts(path(query), { signal })) {
    const event = ofLine(line)
    if (event.position === before) continue
    if (after !== undefined && !isAfter(event.position, after)) continue
    events.push(event)
  }
  return events.toReversed()
}

/** The events of the choice after `after`, as they are written. Ends when the connection does. */
export async function* followed(
  { stream, type }: Choice,
  after: string,
  signal: AbortSignal
): AsyncGenerator<LogEvent, void, void> {
  for await (const line of lineTexts(path({ type, stream, after, follow: true }), { signal }))
    yield ofLine(line)
}

/** The events of a stream, oldest first. */
export async function* ofStream(stream: string, signal: AbortSignal): AsyncGenerator<LogEvent, void, void> {
  for await (const line of lineTexts(path({ stream }), { signal })) yield ofLine(line)
}
