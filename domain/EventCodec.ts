/**
 * Converts domain events to log records and back. An event in memory is `{ _tag, at, ...fields }`. Its record has `_tag` as
 * the type, `at` as the time and the schema-encoded rest as the data.
 */
import { Schema, type SchemaAST } from "effect"
import type { JsonObject } from "./CanonicalJson.ts"
import * as EncodePlan from "./EncodePlan.ts"

export interface DomainEvent {
  readonly _tag: string
  /** When it happened, Unix time in ms. */
  readonly at: number
}

export interface EncodedEvent {
  readonly type: string
  /** Unix time in ms. */
  readonly time: number
  readonly data: JsonObject
}

export interface EventCodec<Event extends DomainEvent> {
  readonly encode: (event: Event) => EncodedEvent
  /** Throws a `SchemaError` on a record that no released version could have written: the log is corrupt. */
  readonly decode: (encoded: EncodedEvent) => Event
  /** The event types that this codec reads. */
  readonly types: ReadonlySet<string>
  /** Whether this codec reads the type. A newer release may have written other types. */
  readonly isType: (type: string) => type is Event["_tag"]
  /** Of each type: its fields, and `_tag` and `at`. */
  readonly schemas: ReadonlyMap<string, Schema.Top>
}

type EventSchema = Schema.Codec<DomainEvent, unknown> & {
  readonly ast: SchemaAST.Objects
  readonly fields: {
    readonly _tag: { readonly schema: { readonly literal: string } }
    readonly at: Schema.Top
  }
}

/**
 * A codec of the union of an aggregate's events. Each event type has its own encoder and decoder, built once, so a record is
 * matched by its type instead of by trying every member. Encoding uses an `EncodePlan`.
 */
export const make = <const Members extends ReadonlyArray<EventSchema>>(
  members: Members
): EventCodec<Members[number]["Type"]> => {
  type Event = Members[number]["Type"]
  const byType = new Map(
    members.map((member) => [
      member.fields._tag.schema.literal,
      {
        planTime: EncodePlan.make(member.fields.at),
        planData: EncodePlan.without(member, ["_tag", "at"]),
        encode: Schema.encodeSync(member),
        decode: Schema.decodeUnknownSync(member)
      }
    ])
  )
  const lookup = (type: string) => {
    const codec = byType.get(type)
    if (codec === undefined) throw new Error(`Unknown event type ${type}`)
    return codec
  }
  return {
    types: new Set(byType.keys()),
    schemas: new Map(members.map((member) => [member.fields._tag.schema.literal, member])),
    isType: (type): type is Event["_tag"] => byType.has(type),
    encode: (event) => {
      const { encode, planData, planTime } = lookup(event._tag)
      const planned = planTime(event.at) === undefined ? undefined : planData(event)
      if (planned !== undefined) return { type: event._tag, time: event.at, data: planned }
      const { _tag, at, ...data } = encode(event) as DomainEvent & JsonObject
      return { type: _tag, time: at, data }
    },
    decode: (encoded) =>
      lookup(encoded.type).decode({ ...encoded.data, _tag: encoded.type, at: encoded.time }) as Event
  }
}
