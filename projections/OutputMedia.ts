/**
 * Whether an `OutputReceived` names files that must be stored before its request completes. Most name none, which their text
 * shows without parsing.
 */
import type { RecordedEvent } from "#streams/RecordedEvent.ts"

/**  */
export const isNamed = (event: RecordedEvent): boolean =>
  event.text.includes('"media":') && event.data["media"] !== undefined
