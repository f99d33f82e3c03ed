/** An event to be written, and an event on the log. */
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { Version } from "./ExpectedVersion.ts"
import type { GlobalPosition } from "./GlobalPosition.ts"
import type { StreamName } from "./StreamName.ts"

export interface EventData {
  /** Unique, time-ordered. */
  readonly id: string
  readonly type: string
  /** Unix time in ms. */
  readonly time: number
  readonly data: JsonObject
}

export interface RecordedFields {
  readonly position: GlobalPosition
  readonly stream: StreamName
  /** Position in its stream, from 0. */
  readonly ordinal: number
  readonly version: Version
  readonly id: string
  readonly type: string
  /** Unix time in ms. */
  readonly time: number
  /** Canonical JSON text of the data, exactly as it was hashed. */
  readonly text: string
  /** base64url; see `EventChain`. */
  readonly hash: string
}

/** The data is parsed at its first use, because most readers skip most events. */
export class RecordedEvent implements EventData {
  readonly position: GlobalPosition
  readonly stream: StreamName
  readonly ordinal: number
  readonly version: Version
  readonly id: string
  readonly type: string
  readonly time: number
  readonly text: string
  readonly hash: string
  #data: JsonObject | undefined

  constructor(fields: RecordedFields, data?: JsonObject) {
    this.position = fields.position
    this.stream = fields.stream
    this.ordinal = fields.ordinal
    this.version = fields.version
    this.id = fields.id
    this.type = fields.type
    this.time = fields.time
    this.text = fields.text
    this.hash = fields.hash
    this.#data = data
  }

  get data(): JsonObject {
    return (this.#data ??= JSON.parse(this.text) as JsonObject)
  }
}
