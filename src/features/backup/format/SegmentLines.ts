/**
 * The lines of a segment: those of `log export`, and before `data` the payload records that were not erased. So its chain can
 * be verified like that of an export.
 */
import { Effect, Schema } from "effect"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import type { CopiedEvent } from "#streams/copy/LogTarget.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import { StreamName } from "#streams/StreamName.ts"
import { BackupDamaged } from "../BackupError.ts"
import type { Segment } from "./Manifest.ts"

/** It stands in a line once: inside of a text, a quote follows a backslash. */
const data = ',"data":'

export const render = ({ event, payloads }: CopiedEvent): string => {
  const { hash, id, ordinal, position, stream, text, time, type } = event
  const records = payloads.length === 0 ? "" : `,"payloads":${JSON.stringify(payloads)}`
  return (
    `{"position":"${position}","stream":${JSON.stringify(stream)},"ordinal":${ordinal},"id":${JSON.stringify(id)},` +
    `"type":${JSON.stringify(type)},"time":${time},"hash":"${hash}"${records}${data}${text}}\n`
  )
}

const Payload = Schema.Struct({
  name: Schema.String,
  salt: Schema.String,
  hash: Schema.String,
  size: Schema.Int,
  content: Schema.Union([
    Schema.TaggedStruct("Inline", { text: Schema.String }),
    Schema.TaggedStruct("Blob", { key: Schema.String })
  ])
})

const Line = Schema.Struct({
  position: GlobalPosition,
  stream: StreamName,
  ordinal: Schema.Int,
  id: Schema.String,
  type: Schema.String,
  time: Schema.Int,
  hash: Schema.String,
  payloads: Schema.optionalKey(Schema.Array(Payload))
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Line))

const parseLine = Effect.fnUntraced(function* (line: string) {
  const at = line.indexOf(data)
  const { payloads = [], ...fields } = yield* decode(`${line.slice(0, at)}}`)
  const event = new RecordedEvent({
    ...fields,
    version: trustedVersion(String(fields.ordinal)),
    text: line.slice(at + data.length, -1)
  })
  return { event, payloads } satisfies CopiedEvent
})

/** The events of a segment, in order. */
export const parse = (
  segment: Segment,
  text: string
): Effect.Effect<ReadonlyArray<CopiedEvent>, BackupDamaged> => {
  const lines = text.split("\n")
  const broken = new BackupDamaged({
    piece: segment.key,
    reason: "does not contain the events that it should"
  })
  if (lines.pop() !== "" || lines.length !== segment.events) return Effect.fail(broken)
  return Effect.mapError(Effect.forEach(lines, parseLine), () => broken)
}
