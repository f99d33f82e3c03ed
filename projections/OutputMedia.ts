/** Whether a run's output names files that have to be stored before its request is settled. */
import type { RecordedEvent } from "#streams/RecordedEvent.ts"

/** Of an `OutputReceived`. Most outputs name none: their text tells that, and is not parsed. */
export const isNamed = (event: RecordedEvent): boolean =>
  event.text.includes('"media":') && event.data["media"] !== undefined
