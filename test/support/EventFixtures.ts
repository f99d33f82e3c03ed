/** Events without meaning, and payloads, for tests of the log itself. */
import type { Array as NonEmpty } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as Payload from "#streams/Payload.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
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

/** A payload in the log's own store. */
export const inlinePayload = (name: string, text: string): SealedPayload => ({
  name,
  salt: "salt",
  hash: Payload.hash("salt", text),
  size: text.length,
  content: { _tag: "Inline", text }
})
