/** Copied events as appends. Adjacent events of one stream share an append, as they may have on the source. */
import type { Array as Arrays } from "effect"
import type { Append } from "../EventStore.ts"
import * as ExpectedVersion from "../ExpectedVersion.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import * as Tombstone from "../Tombstone.ts"
import type { CopiedEvent } from "./LogTarget.ts"

/** The most events per append, to limit the size of its message. */
const maxEvents = 16

type Group = [CopiedEvent, ...Array<CopiedEvent>]

const toAppend = (group: Group): Append => {
  const [{ event: first }, ...others] = group
  const events: Arrays.NonEmptyReadonlyArray<RecordedEvent> = [first, ...others.map(({ event }) => event)]
  const erases = events.flatMap(Tombstone.erasedBy)
  return {
    stream: first.stream,
    expected: first.ordinal === 0 ? ExpectedVersion.NoStream : ExpectedVersion.Any,
    events,
    payloads: group.flatMap(({ payloads }) => payloads),
    ...(erases.length > 0 && { erases })
  }
}

/** Appends as on the source: a position of it is the number of a commit, and possibly the index of an event. */
export const byCommit = (
  batch: ReadonlyArray<CopiedEvent>
): ReadonlyArray<Append & { readonly sequence: number }> =>
  [...Map.groupBy(batch, ({ event }) => GlobalPosition.sequence(event.position))].flatMap(
    ([sequence, [first, ...others]]) =>
      first === undefined ? [] : [{ ...toAppend([first, ...others]), sequence }]
  )

/** The appends in the order of the batch. */
export const of = (batch: ReadonlyArray<CopiedEvent>): ReadonlyArray<Append> => {
  const groups: Array<Group> = []
  for (const copied of batch) {
    const last = groups.at(-1)
    const fits = last !== undefined && last.length < maxEvents && last[0].event.stream === copied.event.stream
    if (fits) last.push(copied)
    else groups.push([copied])
  }
  return groups.map(toAppend)
}
