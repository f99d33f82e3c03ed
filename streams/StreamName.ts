/** The name of one aggregate's stream: `{category}-{id}`. A category has no hyphen. */
import { Schema } from "effect"

export const StreamName = Schema.String.pipe(Schema.brand("StreamName"))
export type StreamName = typeof StreamName.Type

export const make = (category: string, id: string): StreamName => trusted(`${category}-${id}`)

/** A name from storage, unchecked. */
export const trusted = (text: string): StreamName => text as StreamName

export const categoryOf = (stream: StreamName): string => stream.slice(0, stream.indexOf("-"))

export const idOf = (stream: StreamName): string => stream.slice(stream.indexOf("-") + 1)
