/**
 * One message of the log: an append with all its events. The first line says where they stand in their stream, then comes
 * a line for each event's data, byte for byte as it was hashed (canonical JSON has no line breaks).
 *
 * A message without events is a fence: it takes the place of an append whose fate was not known, so that this cannot take
 * place any more. Readers pass it over. Names and places of the fields are the storage format: add to the end, never change.
 */
import * as EventChain from "../EventChain.ts"
import { trustedVersion } from "../ExpectedVersion.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import { type EventData, RecordedEvent } from "../RecordedEvent.ts"
import type { StreamName } from "../StreamName.ts"

/** Where the last event of a stream stands, and what the next append chains to. */
export interface Tail {
  /** Of the subject's last message: what the next append has to expect of the server. 0 for none. */
  readonly subjectSequence: number
  /** Of the message with the last event: the stream's version. 0 for none. */
  readonly version: number
  /** Of the last event, -1 for none. */
  readonly ordinal: number
  readonly hash: string
}

export const noTail: Tail = { subjectSequence: 0, version: 0, ordinal: -1, hash: EventChain.origin }

type EventHeader = readonly [id: string, type: string, time: number, hash: string]
type Header = readonly [version: number, ordinal: number, hash: string, events: ReadonlyArray<EventHeader>]

export interface Encoded {
  readonly body: Uint8Array
  readonly ordinal: number
  /** Of the last event. */
  readonly hash: string
}

/** @param texts canonical data of each event. */
export const encode = (
  stream: StreamName,
  { hash: before, ordinal: last, version }: Tail,
  events: ReadonlyArray<EventData>,
  texts: ReadonlyArray<string>
): Encoded => {
  let hash = before
  let ordinal = last
  const headers = events.map(({ id, type, time }, index): EventHeader => {
    ordinal++
    hash = EventChain.hash(hash, { stream, ordinal, id, type, time, text: texts[index] ?? "" })
    return [id, type, time, hash]
  })
  const header: Header = [version, last, before, headers]
  return { body: Buffer.from([JSON.stringify(header), ...texts].join("\n")), ordinal, hash }
}

/** Of the event at that place in the message with that sequence number. */
export const position = (sequence: number, index: number): GlobalPosition.GlobalPosition =>
  GlobalPosition.trusted(index === 0 ? String(sequence) : `${sequence}.${index}`)

/** Of the message that the position lies in. */
export const sequenceOf = (position: GlobalPosition.GlobalPosition): number => Number.parseInt(position, 10)

export interface Decoded {
  readonly sequence: number
  /** Of the message with the event before these in their stream, 0 for none. */
  readonly previous: number
  readonly events: ReadonlyArray<RecordedEvent>
  readonly tail: Tail
}

/** Throws on what is no message of this log. */
export const decode = (stream: StreamName, sequence: number, data: Uint8Array): Decoded => {
  const [first = "", ...texts] = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    .toString()
    .split("\n")
  const [previous, last, before, headers] = JSON.parse(first) as Header
  if (headers.length === 0) {
    const tail = { subjectSequence: sequence, version: previous, ordinal: last, hash: before }
    return { sequence, previous, events: [], tail }
  }
  if (headers.length !== texts.length || !(previous < sequence)) throw new Error("no append")
  const events = headers.map(
    ([id, type, time, hash], index) =>
      new RecordedEvent({
        position: position(sequence, index),
        stream,
        ordinal: last + 1 + index,
        version: trustedVersion(String(sequence)),
        id,
        type,
        time,
        text: texts[index] ?? "",
        hash
      })
  )
  const { hash } = events.at(-1) ?? { hash: before }
  const ordinal = last + headers.length
  return { sequence, previous, events, tail: { subjectSequence: sequence, version: sequence, ordinal, hash } }
}

/** What somebody else has put into the log's stream: readers pass it over. */
export const foreign = (sequence: number): Decoded => ({ sequence, previous: 0, events: [], tail: noTail })

/** An append or a fence is itself the last message of its subject. */
export const isForeign = ({ tail }: Decoded): boolean => tail.subjectSequence === 0
