/** Reads from an event's text which payloads it names. */
import { Option, Schema } from "effect"
import { PayloadRef } from "#domain/PayloadRef.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"

export type NamedRef = readonly [name: string, ref: PayloadRef]

const field = '"payloads":'
const none: ReadonlyArray<NamedRef> = []

const decode = Schema.decodeUnknownOption(
  Schema.Struct({ payloads: Schema.Record(Schema.String, PayloadRef) })
)

/** Matches a single payload in canonical JSON. */
const onlyOne = /"payloads":\{"([^"\\]+)":\{"hash":"([^"\\]+)","size":(\d{1,15})\}\}/y

/** Empty when the event has no such field, or one of another form. Most events are not parsed for this. */
export const of = (event: RecordedEvent): ReadonlyArray<NamedRef> => {
  const at = event.text.indexOf(field)
  if (at === -1) return none
  onlyOne.lastIndex = at
  const [, name, hash, size] = onlyOne.exec(event.text) ?? []
  if (name !== undefined && hash !== undefined && isTopLevel(event.text, at)) {
    return [[name, { hash, size: Number(size) }]]
  }
  return Option.match(decode(event.data), {
    onNone: () => none,
    onSome: ({ payloads }) => Object.entries(payloads)
  })
}

const quote = 34
const backslash = 92
const openBrace = 123
const closeBrace = 125

/** Whether the key at `end` belongs to the outermost object. */
const isTopLevel = (text: string, end: number): boolean => {
  let depth = 0
  for (let index = 0; index < end; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    else if (code === openBrace) depth++
    else if (code === closeBrace) depth--
  }
  return depth === 1
}

const endOfString = (text: string, start: number): number => {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === backslash) index++
    else if (code === quote) return index
  }
  return text.length
}
