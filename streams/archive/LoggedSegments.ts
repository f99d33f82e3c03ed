/** The segments that a log names. */
import { Effect } from "effect"
import * as Archive from "#domain/archive/Archive.ts"
import { EventReader } from "../EventReader.ts"
import * as StreamName from "../StreamName.ts"

const { category, codec } = Archive.aggregate

const stream = StreamName.make(category, Archive.id)

/** Oldest first, each with the position of its event. Their locations are those of the time when they were archived. */
export const read = Effect.fn("LoggedSegments.read")(function* () {
  const events = yield* (yield* EventReader).read(stream)
  return events.map((event) => ({ ...codec.decode(event), position: event.position }))
})
