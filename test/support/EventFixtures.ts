/** Events that mean nothing, for tests of the log itself. */
import type { Array as NonEmpty } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { EventData } from "#streams/RecordedEvent.ts"

export const eventData = (id: string, type = "Happened", data: JsonObject = {}): EventData => ({
  id,
  type,
  time: 1_700_000_000_000,
  data
})

/** `count` (at least 1) events with the ids `{prefix}0`, `{prefix}1`, … */
export const many = (prefix: string, count: number): NonEmpty.NonEmptyReadonlyArray<EventData> => [
  eventData(`${prefix}0`),
  ...Array.from({ length: count - 1 }, (_, index) => eventData(`${prefix}${index + 1}`))
]
