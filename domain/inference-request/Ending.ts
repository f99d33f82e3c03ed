/** The events that end a request. The stream of an ended request has exactly one of them. */
import { RequestCancelled, RequestCompleted, RequestFailed, RequestForceFailed } from "./Event.ts"

export const endings = [RequestCompleted, RequestFailed, RequestForceFailed, RequestCancelled] as const

export type Ending = (typeof endings)[number]["Type"]
