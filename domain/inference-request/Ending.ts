/** The events that end a request. The stream of an ended request has exactly one of them. */
import { type Event, RequestCancelled, RequestCompleted, RequestFailed, RequestForceFailed } from "./Event.ts"

export const endings = [RequestCompleted, RequestFailed, RequestForceFailed, RequestCancelled] as const

export type Ending = (typeof endings)[number]["Type"]

const types: ReadonlySet<Event["_tag"]> = new Set(endings.map(({ fields }) => fields._tag.schema.literal))

export const isEnding = (type: Event["_tag"]): type is Ending["_tag"] => types.has(type)
