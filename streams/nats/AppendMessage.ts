/**
 * A message of the log: a line about the append's position in its stream, then a line for each event's data, as hashed
 * (storage format: add fields at the end only). A message without events is a fence: it takes the position of an append
 * whose fate was unknown, so that the append can no longer be stored.
 */
import * as EventChain from "../EventChain.ts"
import { trustedVersion } from "../ExpectedVersion.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import { type EventData, RecordedEvent } from "../RecordedEvent.ts"
import type { StreamName } from "../StreamName.ts"

/** The end of a stream, to which the next append chains. */
export interface Tail {
  /** Sequence number of the subject's last message, which the next append expects. 0 for none. */
  readonly subjectSequence: number
  /** Sequence number of the message with the last event: the stream's version. 0 for none. */
  readonly version: number
  /** Ordinal of the last event. -1 for none. */
  readonly ordinal: number
  readonly hash: string
}

export const noTail: Tail = { subjectSequence: 0, version: 0, ordinal: -1, hash: EventChain.origin }

type EventHeader = readonly [id: string, type: string, time: number, hash: string]
type Header = readonly [version: number, ordinal: number, hash: string, events: ReadonlyArray<EventHeader>]

export interface Encoded {
  readonly body: Uint8Array
  readonly ordinal: number
  /** Hash of the last event. */
  readonly hash: string
}

/** @param texts canonical JSON of each event's data. */
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

/** The position of the event at `index` in the message with that sequence number. */
export const position = (sequence: number, index: number): GlobalPosition.GlobalPosition =>
  GlobalPosition.trusted(index === 0 ? String(sequence) : `${sequence}.${index}`)

/** The sequence number of the message that contains the position. */
export const sequenceOf = (position: GlobalPosition.GlobalPosition): number => Number.parseInt(position, 10)

export interface Decoded {
  readonly sequence: number
  /** Sequence number of the message with the previous event of the stream. 0 for none. */
  readonly previous: number
  readonly events: ReadonlyArray<RecordedEvent>
  readonly tail: Tail
}

/** Throws on anything other than a message of this log. */
export const decode = (stream: StreamName, sequence: number, data: Uint8Array): Decoded => {
  const [first = "", ...texts] = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    .toString()
    .split("\n")
  const [previous, last, before, headers] = JSON.parse(first) as Header
  if (headers.length === 0) {
    const tail = { subjectSequence: sequence, version: previous, ordinal: last, hash: before }
    return { sequence, previous, events: [], tail }
  }
  if (headers.length !== texts.length || !(previous < sequence)) throw new Error("not an append")
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

/** A message that another program put into the log's stream. Readers skip it. */
export const foreign = (sequence: number): Decoded => ({ sequence, previous: 0, events: [], tail: noTail })

/** Whether the message is neither an append nor a fence; those are the last message of their own subject. */
export const isForeign = ({ tail }: Decoded): boolean => tail.subjectSequence === 0
