/**
 * Storage convention: an event of type `PayloadsErased` records which payloads of its stream were erased on purpose, by
 * name, in the field `erased` of its data. The records are erased in the commit of the event.
 */
import { Option, Schema } from "effect"
import type { EventData } from "./RecordedEvent.ts"

export const type = "PayloadsErased"

const decode = Schema.decodeUnknownOption(Schema.Struct({ erased: Schema.Array(Schema.String) }))

const none: ReadonlyArray<string> = []

/** Names of the payloads that the event erases. Empty for events of other types. */
export const erasedBy = (event: Pick<EventData, "type" | "data">): ReadonlyArray<string> =>
  event.type === type
    ? Option.match(decode(event.data), { onNone: () => none, onSome: ({ erased }) => erased })
    : none
